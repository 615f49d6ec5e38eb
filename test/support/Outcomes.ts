// What became of the calls in a test: counted with the test, so that the table at the end of a run can add them up.
import { getCurrentTest } from "vitest/suite"

export interface Outcomes {
  /** Refused, or failed without having done what was asked. */
  readonly denied: number
  /** Questions to the person. */
  readonly asked: number
  readonly ran: number
}

declare module "vitest" {
  interface TaskMeta {
    outcomes?: Outcomes
  }
}

export const none: Outcomes = { denied: 0, asked: 0, ran: 0 }

export const sum = (a: Outcomes, b: Outcomes): Outcomes => ({
  denied: a.denied + b.denied,
  asked: a.asked + b.asked,
  ran: a.ran + b.ran
})

/** Adds to the test that runs now. What a peer sees is counted by itself; a test without one says it here. */
export const count = (what: keyof Outcomes, times = 1): void => {
  const test = getCurrentTest()
  if (test === undefined) return
  test.meta.outcomes = sum(test.meta.outcomes ?? none, { ...none, [what]: times })
}
