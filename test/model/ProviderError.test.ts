// What went wrong, in words, and never a key.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as ProviderError from "../../src/model/ProviderError.ts"

const key = "sk-ant-0123456789abcdef"
const where: ProviderError.Where = {
  provider: "anthropic.main",
  model: "claude-mock",
  url: "https://api.example.com/v1",
  keyVariable: "ANTHROPIC_API_KEY",
  secrets: [key]
}
const now = Date.UTC(2030, 0, 1)
const fromHttp = (status: number, body?: string, headers: Readonly<Record<string, string>> = {}) =>
  ProviderError.fromHttp(where, { status, headers, ...(body === undefined ? {} : { body }) }, now)
const json = (message: string) => JSON.stringify({ type: "error", error: { type: "some_error", message } })

describe("HTTP status", () => {
  const table: ReadonlyArray<readonly [number, string, boolean]> = [
    [400, "bad_request", false],
    [401, "auth", false],
    [402, "bad_request", false],
    [403, "auth", false],
    [404, "bad_request", false],
    [408, "timeout", true],
    [422, "bad_request", false],
    [429, "rate_limit", true],
    [500, "overloaded", true],
    [502, "overloaded", true],
    [503, "overloaded", true],
    [529, "overloaded", true],
    [599, "overloaded", true],
    [307, "bad_request", false]
  ]
  for (const [status, reason, retryable] of table) {
    it(`${status} is ${reason}, ${retryable ? "worth" : "not worth"} another try, and the provider's words are in it`, () => {
      const error = fromHttp(status, json("these are the words"))
      assert.strictEqual(error.reason, reason)
      assert.strictEqual(error.retryable, retryable)
      assert.strictEqual(error.status, status)
      assert.include(error.message, "these are the words")
    })
  }

  it("a rejected key says where to set another", () => {
    assert.strictEqual(
      fromHttp(401, json("invalid x-api-key")).message,
      "anthropic.main rejected the API key (HTTP 401): invalid x-api-key. Set ANTHROPIC_API_KEY or api_key in [providers.models.anthropic.main]. Or store it: zeroclaw login anthropic.main"
    )
  })

  it("HTML is a bad reply, with its title and the setting to check", () => {
    const error = fromHttp(
      404,
      "<html><head><title>404 Not\nFound</title></head><body><script>x()</script></body></html>"
    )
    assert.strictEqual(error.reason, "bad_reply")
    assert.include(error.message, "404 Not Found")
    assert.include(error.message, "base_url in [providers.models.anthropic.main]")
    assert.notInclude(error.message, "<")
  })

  it("HTML of a failing server is overloaded all the same", () => {
    assert.strictEqual(fromHttp(502, "<h1>Bad Gateway</h1>").reason, "overloaded")
  })

  it("finds the message in the shapes that compatible servers use", () => {
    for (const body of [
      '{"error":"words"}',
      '{"error":{"message":"words"}}',
      '{"message":"words"}',
      '{"detail":"words"}',
      '{"detail":[{"msg":"words"}]}',
      '[{"error":{"message":"words"}}]'
    ]) {
      assert.include(fromHttp(400, body).message, ": words.")
    }
  })
})

describe("bodies that say more than the status", () => {
  it("400 for a wrong key is a rejected key", () => {
    for (const said of [
      "API key not valid. Please pass a valid API key.",
      "Incorrect API key provided: xa***9. You can obtain an API key from https://console.example."
    ]) {
      const error = fromHttp(400, json(said))
      assert.strictEqual(error.reason, "auth")
      assert.include(error.message, "Set ANTHROPIC_API_KEY or api_key in")
    }
  })

  it("429 for an empty account is not worth another try", () => {
    for (const type of ["insufficient_quota", "exceeded_current_quota_error"]) {
      const error = fromHttp(429, JSON.stringify({ error: { message: "You exceeded your current quota", type } }))
      assert.isFalse(error.retryable)
      assert.include(error.message, "You exceeded your current quota. Check the account's plan and balance.")
    }
  })

  it("429 for a limit by the minute is worth another try, even when it speaks of quota and billing", () => {
    const said = "You exceeded your current quota, please check your plan and billing details."
    const error = fromHttp(429, JSON.stringify([{ error: { code: 429, message: said, status: "RESOURCE_EXHAUSTED" } }]))
    assert.strictEqual(error.reason, "rate_limit")
  })

  it("400 for an empty account sends no one to the settings", () => {
    const error = fromHttp(400, json("Your credit balance is too low to access the API."))
    assert.strictEqual(error.reason, "bad_request")
    assert.include(error.message, "Check the account's plan and balance.")
  })
})

describe("retry-after", () => {
  const table: ReadonlyArray<readonly [Readonly<Record<string, string>>, number | undefined]> = [
    [{}, undefined],
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": "1.5" }, 1500],
    [{ "retry-after": "Tue, 01 Jan 2030 00:00:09 GMT" }, 9000],
    [{ "retry-after": "Mon, 31 Dec 2029 00:00:00 GMT" }, 0],
    [{ "retry-after-ms": "250", "retry-after": "7" }, 250],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "" }, undefined]
  ]
  for (const [headers, expected] of table) {
    it(`${JSON.stringify(headers)} is ${expected ?? "nothing"}`, () => {
      assert.strictEqual(fromHttp(429, undefined, headers).retryAfterMs, expected)
    })
  }
})

describe("error events", () => {
  const table: ReadonlyArray<readonly [string, string]> = [
    ["overloaded_error", "overloaded"],
    ["api_error", "overloaded"],
    ["rate_limit_error", "rate_limit"],
    ["authentication_error", "auth"],
    ["permission_error", "auth"],
    ["invalid_request_error", "bad_request"],
    ["timeout_error", "timeout"]
  ]
  for (const [type, reason] of table) {
    it(`${type} is ${reason}`, () => {
      const error = ProviderError.fromEvent(where, { type, message: "words" })
      assert.strictEqual(error.reason, reason)
      assert.include(error.message, "words")
    })
  }
})

describe("error events of compatible servers", () => {
  const table: ReadonlyArray<readonly [Readonly<Record<string, unknown>>, string]> = [
    [{ type: "BadRequestError", code: 400, message: "words" }, "bad_request"],
    [{ type: "TooManyRequests", code: "429", message: "words" }, "rate_limit"],
    [{ type: "insufficient_quota", message: "words" }, "bad_request"],
    [{ code: 503, status: "UNAVAILABLE", message: "words" }, "overloaded"],
    [{ type: "something_new", message: "words" }, "overloaded"],
    [{ message: "words" }, "overloaded"]
  ]
  for (const [event, reason] of table) {
    it(`${JSON.stringify(event)} is ${reason}`, () => {
      assert.strictEqual(ProviderError.fromEvent(where, event).reason, reason)
    })
  }
})

describe("unreachable", () => {
  it("names the address and the cause, looked up in the chain of causes", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" })
    const error = ProviderError.fromRequest(where, new TypeError("fetch failed", { cause: refused }), now)
    assert.strictEqual(error.reason, "unreachable")
    assert.include(error.message, "https://api.example.com/v1: nothing listens there (ECONNREFUSED)")
  })
})

describe("secrets", () => {
  const secretive = FastCheck.tuple(
    FastCheck.string(),
    FastCheck.constantFrom(key, "sk-proj-abcdefghijklmnop", "Bearer abcdefghijklmnop"),
    FastCheck.string({ maxLength: 400 }),
    FastCheck.constantFrom(400, 401, 404, 429, 500)
  )
  it.prop(
    "no message has a key in it, more than one line, or more than 300 characters",
    [secretive],
    ([[before, secret, after, status]]) => {
      const said = `${before} ${secret} ${after}`
      const errors = [
        fromHttp(status, json(said)),
        fromHttp(status, said),
        ProviderError.fromEvent(where, { type: "api_error", message: said }),
        ProviderError.fromRequest(where, new TypeError(said), now),
        ProviderError.fromWrongContent(where, "text/html", said)
      ]
      for (const { message } of errors) {
        assert.notInclude(message, secret.replace("Bearer ", ""))
        assert.notMatch(message, /[\r\n\u2028\u2029]/)
        assert.isAtMost(message.length, 300)
      }
    }
  )

  it("a key that the provider shortens with stars is struck out too", () => {
    assert.notInclude(fromHttp(401, json("Incorrect API key provided: sk-pr*****cdef.")).message, "sk-pr")
  })
})
