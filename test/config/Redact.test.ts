import { assert, describe, it } from "@effect/vitest"
import { redact } from "../../src/program/Redact.ts"

describe("redact", () => {
  it.each([
    "Authorization: Bearer abcdef123456",
    "key sk-abcdef0123456789",
    "https://user:hunter22@host/x",
    "http://host/x?token=abcdef&y=1",
    'api_key = "abcdef0123"',
    '{"password":"abcdef"}',
    "ghp_abcdefghijklmnop"
  ])("takes the secret out of %s", (text) => {
    const redacted = redact(text)
    assert.include(redacted, "[redacted]")
    assert.notMatch(redacted, /abcdef|hunter22/)
  })

  it("leaves ordinary words alone", () => {
    const text = "notification dropped: session/cancel, 3 tokens used, task-list"
    assert.strictEqual(redact(text), text)
  })
})
