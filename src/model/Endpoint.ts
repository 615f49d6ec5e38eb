// Where a configured provider is reached and with which key. Pure.
import { Either, Redacted } from "effect"
import type { ProviderSettings } from "../config/Agents.ts"
import * as Families from "./Families.ts"
import type { ModelError } from "./ModelError.ts"
import * as ProviderError from "./ProviderError.ts"

export type Environment = Readonly<Record<string, string | undefined>>

export interface Endpoint {
  readonly family: Families.Family
  /** Without a slash at its end and without a query. */
  readonly baseUrl: string
  readonly query: Readonly<Record<string, string>>
  readonly key?: string
  readonly where: ProviderError.Where
}

const credentialHeaders = ["authorization", "x-api-key", "api-key", "x-goog-api-key"]

const bareUrl = (url: URL): string => `${url.origin}${url.pathname.replace(/\/+$/, "")}`

/** The base path that a configured address means: the method's own path may be at its end, the version may be missing. */
const basePath = (family: Families.Family, pathname: string): string => {
  const path = pathname.replace(/\/+$/, "").replace(/\/(chat\/completions|messages)$/, "")
  if (family.wire === "anthropic") return /\/v\d+$/.test(path) ? path : `${path}/v1`
  const usual = family.url === undefined ? "" : new URL(family.url).pathname.replace(/\/+$/, "")
  return path === "" ? usual : path
}

const present = (value: string | undefined): string | undefined => {
  const trimmed = value?.trim()
  return trimmed === "" ? undefined : trimmed
}

const plain = (key: Redacted.Redacted | undefined): string | undefined =>
  present(key === undefined ? undefined : Redacted.value(key))

const findKey = (settings: ProviderSettings, family: Families.Family, env: Environment): string | undefined =>
  plain(settings.apiKey) ?? family.keys.map((name) => present(env[name])).find((key) => key !== undefined)

/** Whether the configuration or the environment holds a key, so that the stored ones need not be read. */
export const hasKey = (settings: ProviderSettings, env: Environment): boolean => {
  const family = Families.find(settings.type)
  return family !== undefined && findKey(settings, family, env) !== undefined
}

/**
 * What is wrong with a provider's settings comes to light here, at the first request. `stored` is the key that
 * `zeroclaw login` stored; configuration and environment come first.
 */
export const resolve = (
  settings: ProviderSettings,
  env: Environment,
  stored?: Redacted.Redacted
): Either.Either<Endpoint, ModelError> => {
  const provider = `${settings.type}.${settings.alias}`
  const table = `[providers.models.${provider}]`
  const headers = settings.extraHeaders ?? {}
  const configured = settings.apiKey === undefined ? [] : [Redacted.value(settings.apiKey).trim()]
  const base: ProviderError.Where = {
    provider,
    model: settings.model,
    url: "",
    secrets: [...configured, ...Object.values(headers).filter((value) => value.length >= 8)]
  }
  const config = (message: string) => Either.left(ProviderError.make(base, "config", message))

  const family = Families.find(settings.type)
  if (family === undefined) {
    return config(
      `Unknown model provider type "${settings.type.slice(0, 40)}" in ${table}. Did you mean "${Families.nearest(settings.type)}"? Use "custom" with base_url for any OpenAI-compatible server.`
    )
  }
  const address = present(settings.uri) ?? family.url
  if (address === undefined)
    return config(`${provider} has no address. Set base_url in ${table} to the server's base URL.`)
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return config(`base_url in ${table} is not an http or https address. Write it like https://host/v1.`)
  }
  if (url.username !== "" || url.password !== "") {
    return config(`base_url in ${table} contains a user name or password. Move it to api_key or extra_headers.`)
  }
  const query = Object.fromEntries(url.searchParams)
  url.pathname = basePath(family, url.pathname)
  const key = findKey(settings, family, env) ?? plain(stored)
  const where: ProviderError.Where = {
    ...base,
    url: bareUrl(url),
    ...(family.keys[0] === undefined ? {} : { keyVariable: family.keys[0] }),
    secrets: [
      ...(key === undefined ? [] : [key]),
      ...base.secrets,
      ...Object.values(query).filter((value) => value.length >= 8)
    ]
  }
  const hasCredential = Object.keys(headers).some((name) => credentialHeaders.includes(name.toLowerCase()))
  return key === undefined && family.needsKey && !hasCredential
    ? Either.left(
        ProviderError.make(where, "auth", `There is no API key for ${provider}. ${ProviderError.keyAdvice(where)}`)
      )
    : Either.right({ family, baseUrl: bareUrl(url), query, ...(key === undefined ? {} : { key }), where })
}
