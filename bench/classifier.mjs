// How long it takes to judge a command line: everyday ones, and the worst of the greatest length.
import { build } from "./build.mjs"

const fill = (piece, length = 16_384) => piece.repeat(Math.floor(length / piece.length))

/** The shapes that took longest of some eighty that were tried. */
const worst = [
  fill("a "),
  fill("* "),
  fill('"a" '),
  fill('"'),
  fill("\\a"),
  `alias ${fill("a=b ", 16_000)}`,
  `find ${fill("-exec env ", 16_000)}`,
  `${fill("a|", 2_900)}${fill("b ", 13_000)}`,
  `${fill("ls;", 4_400)}${fill("x ", 11_000)}`,
  `${fill("<<a ", 2_900)}${fill("b ", 13_000)}`,
  `${"$(".repeat(100)}${fill("a", 16_000)}`,
  `${fill("`a` ", 2_900)}${fill("b ", 13_000)}`
]

/** Milliseconds for each call, of everyday lines and of the worst. The gate is no part of the bundle's surface, so it is built here. */
export const classifier = async (folder) => {
  const { corpus, gate } = await build(folder, {
    gate: "src/policy/command/CommandGate.ts",
    corpus: "test/policy/command/data/Corpus.ts"
  })
  const { acting, reading } = corpus
  const measure = (lines, rounds) => {
    const times = []
    for (let round = -2; round < rounds; round++) {
      for (const line of lines) {
        const from = performance.now()
        gate.assess(line)
        if (round >= 0) times.push(performance.now() - from)
      }
    }
    return times.sort((a, b) => a - b)
  }
  return { everyday: measure([...reading, ...acting], 20), worst: measure(worst, 10) }
}
