// Ends a command with everything it started, also what left its process group or its session.
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { Effect } from "effect"

export interface Process {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Its environment holds the marker of the call, or it writes to the call's pipes. */
  readonly marked: boolean
}

/** Reads `/proc/<pid>/stat`; undefined for a process that is already dead. The name may hold spaces and parentheses. */
export const parseStat = (stat: string): Omit<Process, "marked"> | undefined => {
  const pid = Number.parseInt(stat, 10)
  const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [parent, group, session] = rest.slice(0, 3).map(Number)
  if (state === "Z" || state === "X" || Number.isNaN(pid)) return undefined
  if (parent === undefined || group === undefined || session === undefined) return undefined
  return { pid, parent, group, session }
}

/** How the processes of one call are known. */
export interface Traces {
  /** Leads its process group. */
  readonly root: number
  /** A `NAME=value` found in the environment of its children only. */
  readonly marker: string
  /** Its ends of our pipes, as `/proc/<pid>/fd` names them. */
  readonly pipes: ReadonlySet<string>
}

/** The processes that belong to a call: marked, in the group or session of `root`, or descendants of such. */
export const family = (processes: ReadonlyArray<Process>, root: number): ReadonlyArray<number> => {
  const found = new Set<number>()
  const belongs = ({ pid, parent, group, session, marked }: Process) =>
    marked || pid === root || group === root || session === root || found.has(parent)
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const process of processes) if (belongs(process)) found.add(process.pid)
  }
  return [...found]
}

/** An environment can be emptied, but who empties it seldom lets go of the output too. */
const holds = (pid: string, pipes: ReadonlySet<string>): boolean =>
  [1, 2].some((fd) => {
    try {
      return pipes.has(readlinkSync(`/proc/${pid}/fd/${fd}`))
    } catch {
      return false
    }
  })

/** Undefined when the process has gone or is not ours to look at. */
const readProcess = (pid: string, { marker, pipes }: Traces): Process | undefined => {
  try {
    const marked = readFileSync(`/proc/${pid}/environ`, "latin1").includes(marker) || holds(pid, pipes)
    const stat = parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"))
    return stat === undefined ? undefined : { ...stat, marked }
  } catch {
    return undefined
  }
}

const signal = (pid: number, name: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/** What is left of the call. Where there is no /proc only the process group is known. */
const survivors = (traces: Traces): Effect.Effect<ReadonlyArray<number>> =>
  Effect.sync(() => {
    const { root } = traces
    if (process.platform !== "linux") return signal(-root, 0) ? [-root] : []
    const processes = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
      .flatMap((name) => readProcess(name, traces) ?? [])
    return family(processes, root)
  })

const send = (pids: ReadonlyArray<number>, name: NodeJS.Signals) =>
  Effect.sync(() => {
    for (const pid of pids) signal(pid, name)
  })

const pause = Effect.sleep("20 millis")
/** Rounds of 20 ms: 200 ms to end in peace, then at most 800 ms of killing. */
const graceRounds = 10
const killRounds = 40

const rounds = (
  traces: Traces,
  count: number,
  act: (left: ReadonlyArray<number>) => Effect.Effect<void>
): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    for (let round = 0; round < count; round++) {
      const left = yield* survivors(traces)
      if (left.length === 0) return true
      yield* act(left)
      yield* pause
    }
    return false
  })

/** SIGTERM, after 200 ms SIGKILL, repeated until nothing is left; takes about a second at most. */
export const stop = (traces: Traces): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { root } = traces
    const left = yield* survivors(traces)
    if (left.length === 0) return
    yield* send([-root, ...left], "SIGTERM")
    yield* pause
    if (yield* rounds(traces, graceRounds - 1, () => Effect.void)) return
    yield* rounds(traces, killRounds, (some) => send([-root, ...some], "SIGKILL"))
  })
