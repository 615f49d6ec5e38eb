// Which provider a person means, and what config.toml needs so that it is used. Pure.
import { Either } from "effect"
import * as Families from "../model/Families.ts"

export interface Offer {
  readonly type: string
  readonly title: string
  /** One of its models, as an example. */
  readonly model: string
}

/** What a person without a configured provider is offered. */
export const offers: ReadonlyArray<Offer> = [
  { type: "anthropic", title: "Anthropic (Claude)", model: "claude-sonnet-4-5" },
  { type: "openai", title: "OpenAI", model: "gpt-5" },
  { type: "openrouter", title: "OpenRouter (models of many makers)", model: "anthropic/claude-sonnet-4.5" },
  { type: "gemini", title: "Google Gemini", model: "gemini-2.5-flash" },
  { type: "groq", title: "Groq", model: "llama-3.3-70b-versatile" },
  { type: "mistral", title: "Mistral", model: "mistral-large-latest" },
  { type: "deepseek", title: "DeepSeek", model: "deepseek-chat" },
  { type: "ollama", title: "Ollama (models on this computer, no key)", model: "qwen3" }
]

export const nameOf = (type: string): string => `${type}.main`

const typeOf = (provider: string): string => provider.split(".")[0] ?? provider

/** A local server is asked without a key, unless one is given. */
export const needsKey = (provider: string): boolean => Families.find(typeOf(provider))?.needsKey !== false

/** Environment variables that come before a stored key. */
export const keyVariables = (provider: string): ReadonlyArray<string> => Families.find(typeOf(provider))?.keys ?? []

/**
 * The provider that `word` means: a known name, the only known one of a type, or a family that is yet to be configured.
 * Left is one line for the person; it does not repeat the word, which may be a key in the wrong place.
 */
export const read = (word: string, known: ReadonlyArray<string>): Either.Either<string, string> => {
  if (known.includes(word)) return Either.right(word)
  const [type = "", alias, ...more] = word.split(".")
  const ofType = known.filter((name) => name.startsWith(`${type}.`))
  if (alias === undefined && ofType[0] !== undefined) {
    return ofType.length === 1 ? Either.right(ofType[0]) : Either.left(`name one of ${ofType.join(", ")}`)
  }
  if (more.length > 0 || (alias !== undefined && !/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(alias))) {
    return Either.left("this is no provider; write it like anthropic or anthropic.main")
  }
  const family = type.toLowerCase()
  return !/^[a-z0-9_-]{1,40}$/.test(family) || Families.find(family) === undefined
    ? Either.left(`unknown provider; did you mean ${Families.nearest(type.slice(0, 60))}?`)
    : Either.right(alias === undefined ? nameOf(family) : `${family}.${alias}`)
}

/** The lines that make a provider known; a model that is no more than an example is said to be one. */
export const configLines = (provider: string): ReadonlyArray<string> => {
  const type = typeOf(provider)
  return [
    `[providers.models.${provider}]`,
    `uri = "${Families.find(type)?.url ?? "https://your-server/v1"}"`,
    `model = "${offers.find((offer) => offer.type === type)?.model ?? "the-model-to-use"}"`
  ]
}
