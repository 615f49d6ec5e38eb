// Another process that stores turns: `node Worker.js <file> <session> <turns>`. Each number is printed when it is stored.
import * as fs from "node:fs"
import { Console, Effect, Option } from "effect"
import { SessionId } from "../../../src/contract/AgentMethods.ts"
import { SessionStore } from "../../../src/store/SessionStore.ts"
import * as Store from "../../../src/store/Store.ts"
import { row, turn } from "./Samples.ts"

const [file = "", session = "", turns = "0"] = process.argv.slice(2)
const id = SessionId.make(session)

const program = Effect.gen(function* () {
  const store = yield* SessionStore
  if (Option.isNone(yield* store.load(id))) yield* store.create(row(id))
  for (let n = 1; n <= Number(turns); n++) {
    yield* store.appendTurn(id, turn(n))
    fs.writeSync(1, `${n}\n`)
  }
})

await Effect.runPromise(Effect.provide(program, Store.layer({ file, warn: Console.error })))
