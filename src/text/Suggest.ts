// The known word that a mistyped one most likely meant. Pure.

const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** Undefined when nothing is near: more than two letters, or half of the word, would have to change. */
export const nearest = (word: string, known: ReadonlyArray<string>): string | undefined => {
  const ranked = known.map((candidate) => ({ candidate, far: distance(word, candidate) })).sort((a, b) => a.far - b.far)
  const best = ranked[0]
  return best && best.far <= Math.min(2, Math.floor(best.candidate.length / 2)) ? best.candidate : undefined
}
