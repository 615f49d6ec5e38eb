// What is taken out of results as a secret, what is left alone, and that it takes time in proportion to the text.
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Secrets from "../../src/text/Secrets.ts"

const hex = "0123456789abcdef"
const alnum = (length: number) => "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7".repeat(9).slice(0, length)
const key = (name: string) =>
  [
    `-----BEGIN ${name}-----`,
    ...Array.from({ length: 12 }, (_, n) => `CANARY${n}${alnum(56)}`.slice(0, 64)),
    "CANARYq2+/==",
    `-----END ${name}-----`
  ].join("\n")

/** Each with the words that must be gone. */
const secrets: ReadonlyArray<readonly [what: string, text: string, gone: RegExp]> = [
  ["Anthropic key", `key sk-ant-api03-${alnum(40)}-x`, /aB3d/],
  ["OpenAI key", `sk-proj-${alnum(40)}`, /aB3d/],
  ["older OpenAI key", `sk-${alnum(48)}`, /aB3d/],
  ["GitHub token", `https://ghp_${alnum(36)}@github.com/x`, /aB3d/],
  ["GitHub app token", `gho_${alnum(36)} ghs_${alnum(36)}`, /aB3d/],
  ["GitHub fine-grained token", `github_pat_${alnum(22)}_${alnum(59)}`, /aB3d/],
  ["GitLab token", "glpat-abcDEF123456_7890-xy", /abcDEF/],
  ["Slack token", "xoxb-123456789012-abcdefABCDEF", /123456789012/],
  ["AWS key id", "AKIAIOSFODNN7EXAMPLF", /IOSFODNN/],
  ["AWS pair", `ASIAIOSFODNN7EXAMPLF,${alnum(40)}`, /aB3d|IOSFODNN/],
  ["AWS secret", `aws_secret_access_key = ${alnum(20)}/${alnum(18)}+`, /aB3d/],
  ["Google key", `AIza${alnum(35)}`, /aB3d/],
  ["npm token", `//registry.npmjs.org/:_authToken=npm_${alnum(36)}`, /aB3d/],
  ["pairing token", `zc_${hex.repeat(4)}`, /0123/],
  ["JWT", `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ.${alnum(43)}`, /eyJ|aB3d/],
  ["bearer header", "Authorization: Bearer abcdef0123456789abcdef", /abcdef/],
  ["bearer in curl", `curl -H "authorization: bearer ${alnum(20)}"`, /aB3d/],
  ["basic header", '"Authorization": "Basic dXNlcjpodW50ZXIyMg=="', /dXNl/],
  ["lone bearer", "sent Bearer abcdef0123456789", /abcdef/],
  ["address", "postgres://app:hunter2@db:5432/x", /hunter2/],
  ["environment file", "DB_PASSWORD=correcthorse\nX=1", /correcthorse/],
  ["environment file, quoted", "API_KEY='abc-def-1'", /abc-def/],
  ["lower case", "password=hunter2", /hunter2/],
  ["option", "mysql --password=hunter2 -u me", /hunter2/],
  ["query", "GET /x?api_key=abcdef12&y=1", /abcdef12/],
  ["JSON", '{"password": "hunter2!", "user": "me"}', /hunter2/],
  ["JSON in JSON", '"{\\"api_key\\":\\"abcdef12\\"}"', /abcdef12/],
  ["source", 'const apiKey = "abcdef123456"', /abcdef/],
  ["passphrase", 'password: "correct-horse-battery"', /correct/],
  ["YAML", "password: hunter2\nuser: me", /hunter2/],
  ["YAML token", "token: 12ab34cd56ef78", /12ab/],
  ["header", "x-api-key: abc123def456ghi", /abc123/],
  ["word in the value", "password=supersecret123", /supersecret/],
  ["private key", key("RSA PRIVATE KEY"), /CANARY/],
  ["OpenSSH key", key("OPENSSH PRIVATE KEY"), /CANARY/],
  [
    "encrypted key",
    key("PRIVATE KEY").replace("\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n"),
    /CANARY/
  ],
  ["PGP key", key("PGP PRIVATE KEY BLOCK").replace("\n", "\nVersion: 1\n\n"), /CANARY/],
  ["private key, numbered", key("PRIVATE KEY").replace(/^/gm, "  12: "), /CANARY/],
  ["private key, found", key("PRIVATE KEY").replace(/^/gm, "src/a key.pem:12: "), /CANARY/],
  ["private key, in one line", JSON.stringify(key("PRIVATE KEY")), /CANARY/],
  ["private key without its end", key("PRIVATE KEY").slice(0, 500), /CANARY/],
  ["private key without its beginning", key("PRIVATE KEY").slice(100), /CANARY[2-9]/],
  ["two keys", `${key("PRIVATE KEY")}\nbetween\n${key("EC PRIVATE KEY")}`, /CANARY/],
  ["cut token", "ghp_abcDEF12… [200 characters cut]", /abcDEF/]
]

const harmless: ReadonlyArray<string> = [
  "commit 3f786850e387550fdab836ed7e6dc881de23001b",
  "123e4567-e89b-12d3-a456-426614174000",
  '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
  "![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==)",
  "password: string; token?: Uint8Array; secret: Base64String",
  "const token = tokens[1]; const password = readPassword()",
  "const password = sha256(input); token = base64UrlEncode256(x)",
  "login(user, password=password)",
  "password=$PASSWORD token: \u0024{{ secrets.TOKEN }} api_key={{ key }}",
  'apiKey: process.env["ANTHROPIC_API_KEY"], secret: config.secret',
  'apiKey = os.environ["API_KEY"]',
  'api_key = "your-api-key-1" # api_key: "<your key>"',
  '{"password":"********","token":"xxxxxxxx"}',
  'label: { password: "Contraseña", token: "access_token" }',
  '{"type":"token","token":"identifier"}',
  "max_tokens: 4096, total_tokens=123456, token_count: 1234567",
  "https://example.com:8080/@scope/x http://user:password@host http://\u0024{user}:\u0024{pass}@host",
  "Bearer authentication is described in RFC6750",
  "Basic understanding of the Authorization header",
  ".sk-fading-circle12 .sk-cube-grid-very-long-name {}",
  "npm_config_registry npm_package_version task-list risk-free",
  'if (pem.startsWith("-----BEGIN PRIVATE KEY-----")) {\n  return parse(pem)\n}\nconst end = "-----END PRIVATE KEY-----"',
  "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUabcdefghijklmnopqrstuvwxyz0123456789ABCDEF\n-----END CERTIFICATE-----",
  "eyJ is how the base64 of a JSON object begins",
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dsGhxYwSk me@host"
]

describe("what is taken out", () => {
  it.each(secrets)("%s", (_, text, gone) => {
    const clean = Secrets.scrub(text)
    assert.notMatch(clean, gone)
    assert.include(clean, "[redacted")
  })

  it("the kind is told, and what stands around stays", () => {
    assert.strictEqual(Secrets.scrub(`a ghp_${alnum(36)} b`), "a [redacted: GitHub token] b")
    assert.strictEqual(Secrets.scrub("postgres://app:hunter2@db/x"), "postgres://app:[redacted]@db/x")
    assert.strictEqual(Secrets.scrub('{"password": "hunter2!", "a": 1}'), '{"password": "[redacted]", "a": 1}')
    assert.strictEqual(Secrets.scrub(`x\n${key("PRIVATE KEY")}\ny`), "x\n[redacted: private key]\ny")
  })
})

describe("what stays", () => {
  it.each(harmless)("%s", (text) => {
    assert.strictEqual(Secrets.scrub(text), text)
  })

  it("the lock file and all sources of this project", () => {
    const sources = fs
      .readdirSync("src", { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `src/${name}`)
    for (const name of ["package-lock.json", "biome.json", "tsconfig.json", ...sources]) {
      const text = fs.readFileSync(name, "utf8")
      assert.strictEqual(Secrets.scrub(text), text, name)
    }
  })
})

describe("known values", () => {
  const { all, known } = Secrets.make([
    "hunter2hunter2",
    "hunter2hunter2-longer",
    "a.b*c(d)[e]",
    "short",
    '"quoted"\\x'
  ])

  it("are taken out exactly, the longer one first, wherever they stand", () => {
    assert.strictEqual(known("xhunter2hunter2-longerx hunter2hunter2."), "x[redacted]x [redacted].")
    assert.strictEqual(known("a.b*c(d)[e] aXb*c(d)[e]"), "[redacted] aXb*c(d)[e]")
    assert.strictEqual(known("short"), "short")
  })

  it("also as JSON and addresses spell them", () => {
    assert.strictEqual(known(JSON.stringify({ x: '"quoted"\\x' })), '{"x":"[redacted]"}')
    assert.strictEqual(known(`?x=${encodeURIComponent('"quoted"\\x')}`), "?x=[redacted]")
  })

  it("alone where shapes are to stay", () => {
    assert.strictEqual(known("password=hunter2"), "password=hunter2")
    assert.strictEqual(all("password=hunter2 hunter2hunter2"), "password=[redacted] [redacted]")
  })

  it("come from variables that are named so", () => {
    const env = {
      OPENAI_API_KEY: "0123456789",
      github_token: "abcdefghij",
      DB_PASSWORD: "pass word 1",
      SSH_KEY_PATH: "/home/me/.ssh/id",
      TOKEN: "short",
      PATH: "/usr/bin:/bin",
      SECRET: undefined
    }
    assert.deepStrictEqual(Secrets.ofEnvironment(env), ["0123456789", "abcdefghij", "pass word 1"])
  })
})

describe("on any text", () => {
  const piece = fc.oneof(
    fc.constantFrom(...secrets.map(([, text]) => text), ...harmless),
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "\n",
      " ",
      '"',
      "password=",
      "://",
      "eyJ",
      "-----BEGIN PRIVATE KEY-----",
      "-----END PRIVATE KEY-----"
    )
  )
  it.prop("a second time changes nothing", [fc.array(piece, { maxLength: 8 })], ([pieces]) => {
    const once = Secrets.scrub(pieces.join(" "))
    assert.strictEqual(Secrets.scrub(once), once)
  })

  it.prop(
    "a known value is gone, whatever stands around it",
    [fc.string({ unit: "binary", minLength: 8 }), fc.string({ unit: "binary" }), fc.string({ unit: "binary" })],
    ([value, before, after]) => {
      fc.pre(value.trim().length >= Secrets.leastKnown && !"[redacted]".includes(value.trim()))
      const { known } = Secrets.make([value])
      fc.pre(!`${before}[redacted]${after}`.includes(value.trim()))
      assert.notInclude(known(before + value + after), value.trim())
    }
  )

  const units = [
    "eyJ",
    "eyJaaaaaaaa.",
    "sk-",
    "sk-ant-",
    "xoxb-",
    "ghp_a",
    "a",
    "A1",
    "://",
    "://a:b",
    "password=",
    "password='a",
    "secret: ",
    "token=a.",
    "authorization: bearer ",
    "Bearer aaaaaaaaaaaaaaaa",
    "AKIA",
    "zc_0",
    "SG.aaaaaaaaaaaaaaaa.",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----END PRIVATE KEY-----",
    "-----END PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA\n",
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n-----END PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "1:\n",
    "\n",
    " ",
    "="
  ]
  // Time that grows with the square of the text is minutes here: the test would not end in its time.
  it.each(units)("a mebibyte of %j ends soon", (unit) => {
    const text = unit.repeat(Math.ceil((1024 * 1024) / unit.length))
    assert.isAtMost(Secrets.scrub(text).length, text.length * 8)
  })
})
