// What is a slash command and what is ordinary text. @see acp-v1 section 1.5 (available_commands_update)
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc, Option } from "effect"
import { commands } from "../../src/commands/Available.ts"
import { parse } from "../../src/commands/Parse.ts"
import { type ContentBlock, text } from "../../src/contract/Content.ts"

const of = (...blocks: ReadonlyArray<ContentBlock>) => Option.getOrUndefined(parse(blocks))
const link: ContentBlock = { type: "resource_link", uri: "file:///a.ts", name: "a.ts" }
const embedded: ContentBlock = { type: "resource", resource: { uri: "file:///b.ts", text: "/help" } }
const image: ContentBlock = { type: "image", data: "AA==", mimeType: "image/png" }

describe("a prompt is a command when its first text begins with a slash and a word", () => {
  const are: ReadonlyArray<readonly [string, string, string]> = [
    ["/help", "help", ""],
    ["/help ", "help", ""],
    ["/HeLp", "help", ""],
    ["/model  gpt 5 ", "model", "gpt 5"],
    ["/title\tA name", "title", "A name"],
    ["/compact\nkeep the plan\n\nand the paths\n", "compact", "keep the plan\n\nand the paths"],
    ["/compact\r\nkeep", "compact", "keep"],
    ["/title Grüße, 世界 👋🏽", "title", "Grüße, 世界 👋🏽"],
    ["/title /etc/passwd", "title", "/etc/passwd"],
    ["/no-such_command2 x", "no-such_command2", "x"],
    ["/x", "x", ""]
  ]
  for (const [prompt, name, args] of are) {
    it(JSON.stringify(prompt), () => {
      assert.deepStrictEqual(of(text(prompt)), { name, args })
    })
  }

  const not: ReadonlyArray<string> = [
    "",
    "/",
    "//",
    "// a comment",
    "/ help",
    " /help",
    "\n/help",
    "\u200b/help",
    "\ufeff/help",
    "help",
    "Please run /help",
    "/etc/passwd is x",
    "/etc/passwd",
    "/home/",
    "/help/",
    "/help.",
    "/help: what",
    "/help?",
    "/a.txt is mine",
    "/1",
    "/-x",
    "/_x",
    "/*comment*/",
    "/hélp",
    "/help\u0301",
    "/帮助",
    "/help👋",
    "／help",
    "\\help"
  ]
  for (const prompt of not) {
    it(`not ${JSON.stringify(prompt)}`, () => {
      assert.isUndefined(of(text(prompt)))
    })
  }
})

describe("the blocks of a prompt", () => {
  it("a command stands in the first one: what is attached before it makes it ordinary text", () => {
    assert.isUndefined(of())
    for (const first of [link, embedded, image, text(""), text("See this:")]) {
      assert.isUndefined(of(first, text("/help")))
    }
    assert.isUndefined(of(embedded))
  })

  it("what follows it are arguments: texts as they are, resources by their address, pictures not at all", () => {
    assert.deepStrictEqual(of(text("/compact keep"), link, image, embedded, text(" \n"), text(" and this\nline ")), {
      name: "compact",
      args: "keep\n\nfile:///a.ts\n\nfile:///b.ts\n\nand this\nline"
    })
    assert.deepStrictEqual(of(text("/compact"), text("/help")), { name: "compact", args: "/help" })
  })
})

describe("any text", () => {
  it.prop("is a command only by its beginning, and nothing of the arguments is lost", [fc.string()], ([rest]) => {
    for (const { name } of commands) {
      assert.deepStrictEqual(of(text(`/${name} ${rest}`)), { name, args: rest.trim() })
      assert.isUndefined(of(text(` /${name} ${rest}`)))
    }
  })

  it.prop("is read, and a name is one that could be listed", [fc.string({ unit: "binary" })], ([rest]) => {
    const found = of(text(`/${rest}`))
    if (found !== undefined) assert.match(found.name, /^[a-z][a-z0-9_-]*$/)
  })
})
