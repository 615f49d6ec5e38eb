// web_fetch: what a page becomes for the model, within bounds.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, FastCheck as fc, TestClock } from "effect"
import { FetchError, type Fetched } from "../../src/policy/PolicyService.ts"
import { htmlText } from "../../src/tools/HtmlText.ts"
import { stripTags } from "../../src/tools/StripTags.ts"
import { decodePage, webFetch } from "../../src/tools/WebFetch.ts"
import { bench, call, prepare } from "../support/ToolRun.ts"

const url = "https://example.com/a/"

const page = (text: string | Uint8Array, more: Partial<Fetched> = {}): Fetched => ({
  url,
  status: 200,
  contentType: "text/plain",
  bytes: typeof text === "string" ? new TextEncoder().encode(text) : text,
  complete: true,
  ...more
})

/** The web is this one answer. */
const answering = (answer: Effect.Effect<Fetched, FetchError>) =>
  Effect.map(bench, (it) => {
    const policy = { ...it.policy, fetchUrl: () => answer }
    return { ...it, policy, context: { ...it.context, policy } }
  })
const fetch = (answer: Fetched) =>
  Effect.flatMap(answering(Effect.succeed(answer)), (it) => call(webFetch, it, { url }))

describe("web_fetch", () => {
  it.scoped("is decided on by its address", () =>
    Effect.gen(function* () {
      const { action, face } = yield* prepare(webFetch, yield* bench, { url: `${url}\u202e` })
      assert.deepStrictEqual(action, { _tag: "Fetch", tool: "web_fetch", url: `${url}\u202e` })
      assert.deepInclude(face, { title: `Fetch ${url}\\u202e`, kind: "fetch" })
    })
  )

  it.scoped("gives text and JSON as they are, behind a line of place, status and type", () =>
    Effect.gen(function* () {
      const { rawOutput, text } = yield* fetch(page('{"a": [1]}\n', { contentType: "application/json" }))
      assert.strictEqual(text, `${url} (status 200, application/json)\n\n{"a": [1]}\n`)
      assert.deepInclude(rawOutput, { status: 200, truncated: false })
      assert.include((yield* fetch(page("<b>x</b>"))).text, "<b>x</b>")
      assert.include((yield* fetch(page(""))).text, "(empty)")
      assert.include((yield* fetch(page("x", { complete: false }))).text, "only the beginning")
    })
  )

  it.scoped("keeps head and tail of a long one, on borders of characters, and says what is missing", () =>
    Effect.gen(function* () {
      const { rawOutput, text } = yield* fetch(page(`first${"😀".repeat(60_000)}last`))
      assert.isAtMost(text.length, 50_100)
      assert.isTrue(text.isWellFormed())
      assert.match(text, /\nfirst😀/u)
      assert.match(text, /\[… \d+ characters left out here …\]/)
      assert.isTrue(text.endsWith("😀last"))
      assert.deepInclude(rawOutput, { truncated: true })
    })
  )

  it.scoped("a failure is failed, with its status and what the page says", () =>
    Effect.gen(function* () {
      const gone = yield* Effect.flip(fetch(page("x".repeat(9000), { status: 404 })))
      assert.include(gone.message, "status 404")
      assert.isAtMost(gone.message.length, 2200)
      const refused = new FetchError({ reason: "refused", message: "it is this machine itself" })
      const it = yield* answering(Effect.fail(refused))
      assert.strictEqual((yield* Effect.flip(call(webFetch, it, { url }))).message, refused.message)
      assert.include((yield* Effect.flip(fetch(page("a\u0000b")))).message, "binary")
    })
  )

  it.scoped("hidden characters of a page are spelled out", () =>
    Effect.gen(function* () {
      assert.include((yield* fetch(page("a\u202eb\u001b[2J\u{e0041}"))).text, "a\\u202eb\\u001b[2J\\u{e0041}")
    })
  )

  it("reads the encoding that server or page names, else UTF-8", () => {
    const latin = Uint8Array.of(0x63, 0xe9)
    assert.strictEqual(decodePage(latin, 'text/html; charset="ISO-8859-1"'), "cé")
    assert.strictEqual(decodePage(latin, "text/plain; charset=nonsense"), "c\ufffd")
    const meta = Buffer.concat([Buffer.from('<meta charset="latin1">'), latin])
    assert.include(decodePage(meta, "text/html"), "cé")
    assert.strictEqual(decodePage(Buffer.from("é"), ""), "é")
  })
})

describe("HTML", () => {
  const article = `<html><head><title>The  title</title><style>b{}</style></head><body><nav><a href="/x">menu</a></nav>
    <article><h1>Head</h1><p>${"One sentence of text, with commas, that is read. ".repeat(10)}</p>
    <p>A <a href="../b?c=1">link</a>, <a href="javascript:alert(1)">none</a> and <code>x</code>.</p>
    <pre><code>let a = 1\n</code></pre><ul><li>one</li></ul></article><script>evil()</script></body></html>`

  it.live("becomes Markdown of the readable part, with whole addresses and without scripts", () =>
    Effect.gen(function* () {
      const { text, title } = yield* htmlText(article, url)
      assert.strictEqual(title, "The title")
      for (const part of ["One sentence", "[link](https://example.com/b?c=1)", "`x`", "let a = 1"])
        assert.include(text, part)
      for (const part of ["evil", "javascript:", "b{}"]) assert.notInclude(text, part)
    })
  )

  it.live(
    "what is too much for the parsers is read by the scanner, and other work goes on meanwhile",
    () =>
      Effect.gen(function* () {
        let ticks = 0
        const ticking = Effect.forever(
          Effect.zipRight(
            Effect.sleep("20 millis"),
            Effect.sync(() => ticks++)
          )
        )
        const deep = `<body>${"<div>".repeat(3000)}deep, text${"</div>".repeat(3000)}</body>`
        const broad = `<body>${"<div><a href=/>abc</a></div>".repeat(80_000)}end</body>`
        const [a, b] = yield* Effect.raceFirst(
          Effect.all([htmlText(deep, url), htmlText(broad, url)]),
          Effect.zipRight(ticking, Effect.never)
        )
        assert.strictEqual(a.text, "deep, text")
        assert.match(b.text, /end$/)
        assert.isAbove(ticks, 1)
      }),
    30_000
  )

  it.effect("one that keeps the parsers busy is given up after five seconds", () =>
    Effect.gen(function* () {
      const html = `<body>${"<div>".repeat(1500)}deep, text${"</div>".repeat(1500)}</body>`
      const fiber = yield* Effect.fork(htmlText(html, url))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { title: "", text: "deep, text" })
    })
  )

  it("the scanner drops tags, scripts and comments, and reads entities", () => {
    assert.strictEqual(stripTags("<p>a<b>b</b>&amp;&#65;&#x42;&unknown;</p><!-- c --><p>d"), "ab&AB&unknown;\n\nd")
    assert.strictEqual(stripTags("<SCRIPT>x</script >y<style>z"), "y")
    assert.strictEqual(stripTags("1 < 2 <! > İ<p>x"), "1 < 2 İ\nx")
    assert.strictEqual(stripTags("a <b"), "a <b")
  })

  it.prop(
    "the scanner ends on anything, in a well-formed text",
    [
      fc.string({
        unit: fc.constantFrom("<", ">", "/", "!", "-", "script", "p", "&", "#", "x", ";", "1", "😀", "\n", " ")
      })
    ],
    ([html]) => assert.isTrue(stripTags(html).isWellFormed())
  )
})
