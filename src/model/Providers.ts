// From a provider's settings to a model one can talk to. The packages are loaded at the first request.
import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider"
import { Effect, Either, type Redacted, Stream } from "effect"
import type { CredentialsService } from "../auth/Credentials.ts"
import type { ProviderSettings } from "../config/Agents.ts"
import { fromAiSdk } from "./AiSdk.ts"
import * as Catalog from "./Catalog.ts"
import * as Endpoint from "./Endpoint.ts"
import * as Families from "./Families.ts"
import { guardedFetch } from "./Fetch.ts"
import type { ModelRequest, ModelService } from "./Model.ts"
import { defaultRetry, type Limits, type RetrySettings, withRetry } from "./Retry.ts"
import { fromCredentials, type StoredKey, withStoredKey } from "./StoredKey.ts"
import * as Thinking from "./Thinking.ts"
import { type PromptOptions, toPrompt } from "./ToPrompt.ts"

export interface ModelOptions {
  /** What the session chose; absent or unknown: what is configured. */
  readonly thoughtLevel?: string
  readonly retry?: Partial<RetrySettings>
  readonly limits?: Partial<Limits>
  /** Where the key is when neither configuration nor environment holds one; asked at the first request. */
  readonly stored?: StoredKey
}

const defaultMaxOutputTokens = 8192
const defaultTimeoutMs = 120_000
/** A local server may first have to load the model and read a long prompt on a slow machine. */
const defaultLocalTimeoutMs = 600_000

const promptOptions = ({ family }: Endpoint.Endpoint): PromptOptions =>
  family.wire === "anthropic"
    ? { reasoning: "signed", cache: true, callIds: "plain", bridge: false }
    : {
        reasoning: family.echoesReasoning === true ? "turn" : "none",
        cache: false,
        callIds: family.strict === true ? "nine" : "plain",
        bridge: true
      }

/** What a request asks of the provider's package. Pure. */
export const callOptions = (
  settings: ProviderSettings,
  endpoint: Endpoint.Endpoint,
  request: ModelRequest,
  thoughtLevel?: string
): LanguageModelV3CallOptions => {
  const thinking = Thinking.ask(settings, thoughtLevel)
  return {
    prompt: toPrompt(request.system, request.messages, promptOptions(endpoint)),
    // The packages' own default for an unknown model is more than most models take.
    maxOutputTokens: settings.maxTokens ?? defaultMaxOutputTokens,
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, inputSchema }) => ({
            type: "function" as const,
            name,
            description,
            inputSchema
          }))
        }),
    ...(thinking.providerOptions === undefined ? {} : { providerOptions: thinking.providerOptions }),
    ...(thinking.thinks || settings.temperature === undefined ? {} : { temperature: settings.temperature })
  }
}

const load = (settings: ProviderSettings, endpoint: Endpoint.Endpoint): Effect.Effect<LanguageModelV3> => {
  const { family, baseUrl, query, key, where } = endpoint
  const headers = { ...settings.extraHeaders }
  const fetch = guardedFetch(where)
  return family.wire === "anthropic"
    ? Effect.map(
        Effect.promise(() => import("@ai-sdk/anthropic")),
        ({ createAnthropic }) =>
          createAnthropic({ baseURL: baseUrl, apiKey: key ?? "", headers, fetch })(settings.model)
      )
    : Effect.map(
        Effect.promise(() => import("@ai-sdk/openai-compatible")),
        ({ createOpenAICompatible }) =>
          createOpenAICompatible({
            // The package finds Gemini's signatures again under this name.
            name: where.provider.startsWith("gemini.") ? "google" : "openaiCompatible",
            baseURL: baseUrl,
            headers,
            fetch,
            // Those who refuse to be asked for it send it anyway.
            includeUsage: family.strict !== true,
            queryParams: { ...query },
            ...(key === undefined ? {} : { apiKey: key }),
            transformRequestBody: (body) => renamed(body, family.maxTokensField)
          })(settings.model)
      )
}

const renamed = (body: Readonly<Record<string, unknown>>, field: string | undefined): Record<string, unknown> => {
  const { max_tokens, ...rest } = body
  return field === undefined ? { ...body } : { ...rest, [field]: max_tokens }
}

const limitsOf = (settings: ProviderSettings, { family }: Endpoint.Endpoint): Limits => {
  const ms =
    settings.timeoutSecs !== undefined && settings.timeoutSecs > 0
      ? settings.timeoutSecs * 1000
      : family.needsKey
        ? defaultTimeoutMs
        : defaultLocalTimeoutMs
  return { timeoutMs: ms, idleTimeoutMs: ms }
}

/**
 * The model of a configured provider. Nothing is checked or loaded before its first request; wrong settings fail that
 * request with reason `config`, a missing key with `auth`, both before anything is sent.
 */
export const makeModel = (
  settings: ProviderSettings,
  env: Endpoint.Environment,
  options: ModelOptions = {}
): ModelService => {
  const id = Catalog.idOf(settings)
  const contextWindow = settings.contextWindow ?? Families.contextWindow(settings.model)
  const size = contextWindow === undefined ? {} : { contextWindow }
  const make = (key?: Redacted.Redacted): ModelService =>
    Either.match(Endpoint.resolve(settings, env, key), {
      onLeft: (error) => ({ id, ...size, stream: () => Stream.fail(error) }),
      onRight: (endpoint) => {
        const model = fromAiSdk({
          id,
          where: endpoint.where,
          model: load(settings, endpoint),
          options: (request) => callOptions(settings, endpoint, request, options.thoughtLevel),
          limits: { ...limitsOf(settings, endpoint), ...options.limits }
        })
        return { ...withRetry({ ...defaultRetry, ...options.retry })(model), ...size }
      }
    })
  const { stored } = options
  return stored === undefined || Endpoint.hasKey(settings, env)
    ? make()
    : { ...withStoredKey(id, stored, make), ...size }
}

/** With the keys that `zeroclaw login` stored. */
export const configuredModel = (
  settings: ProviderSettings,
  env: Endpoint.Environment,
  find: CredentialsService["find"],
  thoughtLevel?: string
): ModelService =>
  makeModel(settings, env, {
    stored: fromCredentials(settings, find),
    ...(thoughtLevel === undefined ? {} : { thoughtLevel })
  })
