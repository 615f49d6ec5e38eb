// The time of day before what a person said, for the model alone: a replay, a title and a search have none. Pure.
// @see zeroclaw section 12

const prefix = /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [^\]\n]{1,40}\] /

const two = (n: number): string => String(Math.trunc(n)).padStart(2, "0")

export interface LocalTime {
  /** `2026-12-04` */
  readonly date: string
  /** `09:31:05` */
  readonly time: string
  /** `+01:00` */
  readonly zone: string
}

/** `offset`: minutes that the local time is ahead of UTC. */
export const localTime = (epochMillis: number, offset: number): LocalTime => {
  const [date = "", time = ""] = new Date(epochMillis + offset * 60_000).toISOString().split(/[T.]/)
  const size = Math.abs(offset)
  return { date, time, zone: `${offset < 0 ? "-" : "+"}${two(size / 60)}:${two(size % 60)}` }
}

/** As this computer is set now. */
export const here = (epochMillis: number): LocalTime =>
  localTime(epochMillis, -new Date(epochMillis).getTimezoneOffset())

export const add = (text: string, { date, time, zone }: LocalTime): string => `[${date} ${time} ${zone}] ${text}`

/** Also as other programs write it. */
export const remove = (text: string): string => text.replace(prefix, "")
