// What is new in a text that is sent whole again and again, perhaps with its beginning cut off. Pure.

/** Compared at most: enough for what a window slides between two updates. */
const window = 64 * 1024

/** Length of the longest end of `shown` that `now` starts with; linear time (Knuth, Morris, Pratt). */
const overlap = (shown: string, now: string): number => {
  const head = now.slice(0, window)
  const tail = shown.slice(-head.length)
  const back: Array<number> = [0]
  const follow = (from: number, char: string | undefined): number => {
    let at = from
    while (at > 0 && head[at] !== char) at = back[at - 1] ?? 0
    return head[at] === char ? at + 1 : at
  }
  for (let at = 1; at < head.length; at++) back.push(follow(back[at - 1] ?? 0, head[at]))
  let length = 0
  for (const char of tail.split("")) length = follow(length === head.length ? (back[length - 1] ?? 0) : length, char)
  return length
}

export const newPart = (shown: string, now: string): string => {
  if (now.startsWith(shown)) return now.slice(shown.length)
  if (shown.startsWith(now) || now === "") return ""
  return now.slice(overlap(shown, now))
}
