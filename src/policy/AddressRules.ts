// Which addresses may be fetched: public ones of the web, and nothing else. In doubt it is no. Pure.
import { Either } from "effect"
import * as ipaddr from "ipaddr.js"
import { visible } from "./PathText.ts"

/** What web servers listen on; on others something else does. */
const ports: ReadonlySet<string> = new Set(["", "80", "443", "8080", "8443"])

/** Names that only a local network, or this machine, gives a meaning to. */
const localSuffixes = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "test",
  "example",
  "invalid",
  "onion",
  "alt",
  "arpa"
]

/** Services of clouds that hand out secrets under a public address. */
const metadataAddresses: ReadonlySet<string> = new Set(["168.63.129.16"])

const maxUrlLength = 4096

/** Well-known only: behind any other prefix the embedded address may be a private network's. */
const nat64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96")
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

const embedded = (address: ipaddr.IPv6): ipaddr.IPv4 => new ipaddr.IPv4(address.toByteArray().slice(12))

const words: Readonly<Record<string, string>> = {
  private: "it belongs to a private network",
  loopback: "it is this machine itself",
  unspecified: "it is this machine itself",
  linkLocal: "it belongs to the local link, where clouds hand out secrets",
  carrierGradeNat: "it belongs to a provider's inner network",
  uniqueLocal: "it belongs to a private network",
  multicast: "it is a group of machines",
  broadcast: "it is a group of machines"
}

const why = (range: string): string => words[range] ?? "it is no public address"

const refusalOf4 = (address: ipaddr.IPv4): string | undefined => {
  if (metadataAddresses.has(address.toString())) return "it is a service of the cloud that hands out secrets"
  const range = address.range()
  return range === "unicast" ? undefined : why(range)
}

/** ISATAP: an IPv4 address inside of a public prefix. */
const isIsatap = (address: ipaddr.IPv6): boolean => {
  const [, , , , a = 0, b = 0] = address.parts
  return (a & 0xfdff) === 0 && b === 0x5efe
}

const refusalOf6 = (address: ipaddr.IPv6): string | undefined => {
  if (address.zoneId !== undefined) return "it is bound to one network interface"
  const range = address.range()
  if (range === "ipv4Mapped" || address.match(nat64)) return refusalOf4(embedded(address))
  if (range !== "unicast") return why(range)
  if (!address.match(globalUnicast)) return "it is no public address"
  return isIsatap(address) ? refusalOf4(embedded(address)) : undefined
}

/** Why nothing may be fetched from an IP address, in canonical spelling; undefined where it may. */
export const addressRefusal = (address: string): string | undefined => {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return refusalOf4(ipaddr.IPv4.parse(address))
  return ipaddr.IPv6.isValid(address) ? refusalOf6(ipaddr.IPv6.parse(address)) : "it is no IP address"
}

const bracketed = (host: string): string | undefined => /^\[(.*)\]$/.exec(host)?.[1]

const hostRefusal = (host: string): string | undefined => {
  const literal = bracketed(host) ?? (ipaddr.IPv4.isValidFourPartDecimal(host) ? host : undefined)
  if (literal !== undefined) return addressRefusal(literal)
  const name = host.replace(/\.$/, "")
  if (localSuffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))) {
    return "it is the name of a local network"
  }
  if (!name.includes(".")) return "a name without a dot is one of a local network"
  return /^(?!-)[a-z0-9_-]{1,63}(?:\.(?!-)[a-z0-9_-]{1,63})+$/.test(name) && name.length <= 253
    ? undefined
    : "it is no name of a host"
}

const refuse = (url: string, reason: string) => {
  const shown = visible(url)
  return Either.left(`${shown.length > 300 ? `${shown.slice(0, 300)}…` : shown} can't be fetched: ${reason}.`)
}

/**
 * An address as the web means it, judged after the parser has taken away every odd spelling. The names that pass still
 * have to be looked up, and each of their addresses judged. Left: a sentence for a person or model.
 */
export const parseUrl = (text: string): Either.Either<URL, string> => {
  if (text.length > maxUrlLength) return refuse(text, `it is longer than ${maxUrlLength} characters`)
  const parsed = Either.try(() => new URL(text))
  if (Either.isLeft(parsed)) return refuse(text, "it is no URL. Write it in full, with https://")
  const url = parsed.right
  if (url.protocol !== "http:" && url.protocol !== "https:") return refuse(text, "only http and https are fetched")
  if (url.username !== "" || url.password !== "") return refuse(url.host, "the URL holds a user name or password")
  if (!ports.has(url.port)) return refuse(text, `port ${url.port} is none of the web (80, 443, 8080, 8443)`)
  const reason = hostRefusal(url.hostname)
  return reason === undefined ? Either.right(url) : refuse(text, reason)
}
