// Which addresses may be fetched: a table of the odd and the plain, and properties over whole ranges.
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { addressRefusal, parseUrl } from "../../src/policy/AddressRules.ts"

const refused = (url: string) => Either.match(parseUrl(url), { onLeft: (why) => why, onRight: () => undefined })
const octet = fc.integer({ min: 0, max: 255 })
const group = fc.integer({ min: 0, max: 0xffff })
const hex = (value: number) => value.toString(16)

/** A random address of an IPv4 block. */
const inBlock = (base: string, bits: number) =>
  fc.integer({ min: 0, max: 2 ** (32 - bits) - 1 }).map((offset) => {
    const start = base.split(".").reduce((sum, part) => sum * 256 + Number(part), 0)
    const value = start + offset
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".")
  })

const closedBlocks = fc.oneof(
  ...(
    [
      ["0.0.0.0", 8],
      ["10.0.0.0", 8],
      ["100.64.0.0", 10],
      ["127.0.0.0", 8],
      ["169.254.0.0", 16],
      ["172.16.0.0", 12],
      ["192.0.0.0", 24],
      ["192.0.2.0", 24],
      ["192.88.99.0", 24],
      ["192.168.0.0", 16],
      ["198.18.0.0", 15],
      ["198.51.100.0", 24],
      ["203.0.113.0", 24],
      ["224.0.0.0", 4],
      ["240.0.0.0", 4]
    ] as const
  ).map(([base, bits]) => inBlock(base, bits))
)

const pair = (a: number, b: number) => hex(a * 256 + b)
const tail = (address: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number)
  return `${pair(a, b)}:${pair(c, d)}`
}
/** What an IPv4 address looks like inside of IPv6. */
const embeddings: ReadonlyArray<(address: string) => string> = [
  (it) => `::ffff:${it}`,
  (it) => `::ffff:${tail(it)}`,
  (it) => `::${tail(it)}`,
  (it) => `::ffff:0:${tail(it)}`,
  (it) => `64:ff9b::${tail(it)}`,
  (it) => `64:ff9b:1::${tail(it)}`,
  (it) => `2002:${tail(it)}::1`,
  (it) => `2001:470:1::5efe:${tail(it)}`,
  (it) => `2001:470:1:0:200:5efe:${tail(it)}`
]

describe("addresses", () => {
  it.prop("no IPv4 address of a closed block is fetched, however it is spelled", [closedBlocks], ([address]) => {
    assert.isString(addressRefusal(address))
    const value = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0)
    const parts = address.split(".").map(Number)
    const spellings = [
      address,
      String(value),
      `0x${hex(value)}`,
      `0${value.toString(8)}`,
      parts.map((part) => `0x${hex(part)}`).join("."),
      parts.map((part) => `0${part.toString(8)}`).join("."),
      `${parts[0]}.${value % 2 ** 24}`,
      `${address}.`,
      address.replaceAll(".", "。"),
      `[::ffff:${address}]`
    ]
    for (const host of spellings) assert.isString(refused(`http://${host}/`), host)
  })

  it.prop("nor where it is embedded in an IPv6 address", [closedBlocks], ([address]) => {
    for (const embed of embeddings) {
      assert.isString(addressRefusal(embed(address)), embed(address))
      assert.isString(refused(`http://[${embed(address)}]/`), embed(address))
    }
  })

  it.prop(
    "no IPv6 address outside of 2000::/3 is fetched but what stands for a public IPv4 one",
    [fc.array(group, { minLength: 8, maxLength: 8 })],
    ([groups]) => {
      const first = groups[0] ?? 0
      fc.pre(first >> 13 !== 1 && first !== 0 && first !== 0x64)
      assert.isString(addressRefusal(groups.map(hex).join(":")))
    }
  )

  it.prop("whatever is no address is refused", [fc.string()], ([text]) => {
    fc.pre(!/^[\d.]+$|:/.test(text))
    assert.isString(addressRefusal(text))
  })

  it.prop("a public address of four parts is fetched", [octet, octet, octet], ([b, c, d]) => {
    assert.isUndefined(addressRefusal(`8.${b}.${c}.${d}`))
    assert.isUndefined(addressRefusal(`::ffff:8.${b}.${c}.${d}`))
    assert.isUndefined(addressRefusal(`64:ff9b::${tail(`8.${b}.${c}.${d}`)}`))
  })

  it("single addresses", () => {
    const closed = [
      "::1",
      "::",
      "fe80::1",
      "fe80::1%eth0",
      "fec0::1",
      "fc00::1",
      "fd00:ec2::254",
      "ff02::1",
      "100::1",
      "2001::1",
      "2001:db8::1",
      "3fff::1",
      "5f00::1",
      "4000::1",
      "168.63.129.16",
      "::ffff:168.63.129.16",
      "100.100.100.200",
      "169.254.169.254",
      "192.0.0.192"
    ]
    for (const address of closed) assert.isString(addressRefusal(address), address)
    for (const address of ["1.1.1.1", "93.184.215.14", "2606:4700:4700::1111", "2a00:1450:4001:80b::200e"]) {
      assert.isUndefined(addressRefusal(address), address)
    }
  })
})

describe("URLs", () => {
  const open = [
    "https://example.com",
    "http://example.com:80/a?b=c#d",
    "https://example.com:8443/",
    "http://example.com:8080/",
    "https://EXAMPLE.com./",
    "https://münchen.de/",
    "https://1.1.1.1/",
    "https://[2606:4700:4700::1111]/",
    "https://localhost.example.com/",
    "https://my_site.example.org/"
  ]
  it.each(open)("%s may be fetched", (url) => assert.isUndefined(refused(url)))

  const closed: ReadonlyArray<readonly [string, RegExp]> = [
    ["ftp://example.com/", /http and https/],
    ["file:///etc/passwd", /http and https/],
    ["data:text/plain,x", /http and https/],
    ["javascript:alert(1)", /http and https/],
    ["gopher://example.com:70/", /http and https/],
    ["example.com", /no URL/],
    ["", /no URL/],
    ["http://", /no URL/],
    ["http://user@example.com/", /user name/],
    ["http://user:secret@example.com/", /user name/],
    ["http://example.com:22/", /port 22/],
    ["http://example.com:6379/", /port 6379/],
    ["http://example.com:3000/", /port 3000/],
    ["http://localhost/", /local network/],
    ["http://LOCALHOST./", /local network/],
    ["http://a.localhost/", /local network/],
    ["http://printer.local/", /local network/],
    ["http://metadata.google.internal/", /local network/],
    ["http://router/", /without a dot/],
    ["http://nas.lan/", /local network/],
    ["http://1.0.0.127.in-addr.arpa/", /local network/],
    ["http://a..b/", /no name/],
    ["http://-a.example.com/", /no name/],
    ["http://127.1/", /this machine/],
    ["http://0/", /this machine/],
    ["http://①②⑦.⓪.⓪.①/", /this machine/],
    ["http://[::1]/", /this machine/],
    ["http://169.254.169.254/latest/meta-data/", /secrets/],
    ["http://1.2.3.4.5/", /no URL/],
    [`https://example.com/${"x".repeat(5000)}`, /longer/]
  ]
  it.each(closed)("%s may not", (url, why) => assert.match(refused(url) ?? "", why))

  it("a password is not repeated, nor a hidden character shown", () => {
    assert.notInclude(refused("http://user:hunter2@example.com/") ?? "", "hunter2")
    assert.notMatch(refused("http://a\u202eb") ?? "", /\u202e/)
  })
})
