// Modules that are no part of the bundle's surface, built so that a benchmark can load them.
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { rolldown } from "rolldown"

const at = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url))

/** `input` is names to files of the project; gives the modules by name. */
export const build = async (folder, input) => {
  const bundle = await rolldown({
    input: Object.fromEntries(Object.entries(input).map(([name, file]) => [name, at(file)])),
    platform: "node",
    cwd: at("."),
    logLevel: "warn"
  })
  await bundle.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs" })
  await bundle.close()
  const load = async (name) => [name, await import(pathToFileURL(path.join(folder, `${name}.mjs`)).href)]
  return Object.fromEntries(await Promise.all(Object.keys(input).map(load)))
}
