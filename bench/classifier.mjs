// How long it takes to judge a command line: everyday ones, and the worst of the greatest length.
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { rolldown } from "rolldown"

const at = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url))
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
  const build = await rolldown({
    input: { gate: at("src/policy/command/CommandGate.ts"), corpus: at("test/policy/command/data/Corpus.ts") },
    platform: "node",
    cwd: at("."),
    logLevel: "warn"
  })
  await build.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs" })
  await build.close()
  const load = (name) => import(pathToFileURL(path.join(folder, name)).href)
  const { assess } = await load("gate.mjs")
  const { acting, reading } = await load("corpus.mjs")
  const measure = (lines, rounds) => {
    const times = []
    for (let round = -2; round < rounds; round++) {
      for (const line of lines) {
        const from = performance.now()
        assess(line)
        if (round >= 0) times.push(performance.now() - from)
      }
    }
    return times.sort((a, b) => a - b)
  }
  return { everyday: measure([...reading, ...acting], 20), worst: measure(worst, 10) }
}
