// The kinds of model provider: which wire they speak, where they are, and where their key usually is. Pure data.

export type Wire = "anthropic" | "openai-compatible"

export interface Family {
  readonly wire: Wire
  /** Absent: `uri` must be configured. */
  readonly url?: string
  /** Environment variables a key may be in, the usual one first. */
  readonly keys: ReadonlyArray<string>
  /** Whether there is no talking to it without a key. */
  readonly needsKey: boolean
  /** Wants to see its reasoning again within a tool loop. Others refuse the field. */
  readonly echoesReasoning?: boolean
  /** The name its limit of output tokens has, where it is not `max_tokens`. */
  readonly maxTokensField?: string
  /** Refuses fields it does not document (`stream_options`) and call ids that are not nine letters and digits. */
  readonly strict?: boolean
}

const hosted = (url: string, ...keys: ReadonlyArray<string>): Family => ({
  wire: "openai-compatible",
  url,
  keys,
  needsKey: true
})
const local = (url: string, ...keys: ReadonlyArray<string>): Family => ({
  wire: "openai-compatible",
  url,
  keys,
  needsKey: false
})
const echoing = (family: Family): Family => ({ ...family, echoesReasoning: true })

const glm = echoing(hosted("https://api.z.ai/api/paas/v4", "ZAI_API_KEY", "GLM_API_KEY", "ZHIPU_API_KEY"))

export const families: Readonly<Record<string, Family>> = {
  anthropic: { wire: "anthropic", url: "https://api.anthropic.com/v1", keys: ["ANTHROPIC_API_KEY"], needsKey: true },
  openai: { ...hosted("https://api.openai.com/v1", "OPENAI_API_KEY"), maxTokensField: "max_completion_tokens" },
  openrouter: hosted("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
  ollama: local("http://localhost:11434/v1", "OLLAMA_API_KEY"),
  lmstudio: local("http://localhost:1234/v1", "LMSTUDIO_API_KEY"),
  llamacpp: local("http://localhost:8080/v1", "LLAMACPP_API_KEY", "LLAMA_API_KEY"),
  vllm: local("http://localhost:8000/v1", "VLLM_API_KEY"),
  sglang: local("http://localhost:30000/v1", "SGLANG_API_KEY"),
  litellm: local("http://localhost:4000/v1", "LITELLM_API_KEY", "LITELLM_MASTER_KEY"),
  groq: hosted("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
  mistral: { ...hosted("https://api.mistral.ai/v1", "MISTRAL_API_KEY"), strict: true },
  deepseek: echoing(hosted("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY")),
  together: hosted("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
  fireworks: hosted("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
  cerebras: hosted("https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
  perplexity: hosted("https://api.perplexity.ai", "PERPLEXITY_API_KEY"),
  xai: hosted("https://api.x.ai/v1", "XAI_API_KEY"),
  nvidia: hosted("https://integrate.api.nvidia.com/v1", "NVIDIA_API_KEY", "NVIDIA_NIM_API_KEY"),
  moonshot: echoing(hosted("https://api.moonshot.ai/v1", "MOONSHOT_API_KEY", "KIMI_API_KEY")),
  qwen: hosted("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY", "QWEN_API_KEY"),
  glm,
  zai: glm,
  minimax: hosted("https://api.minimax.io/v1", "MINIMAX_API_KEY"),
  huggingface: hosted("https://router.huggingface.co/v1", "HF_TOKEN", "HUGGINGFACE_API_KEY"),
  vercel: hosted("https://ai-gateway.vercel.sh/v1", "AI_GATEWAY_API_KEY", "VERCEL_API_KEY"),
  gemini: hosted(
    "https://generativelanguage.googleapis.com/v1beta/openai",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY"
  ),
  custom: { wire: "openai-compatible", keys: [], needsKey: false }
}

/**
 * The version in a Claude model's name as one number, 405 for 4.5 and 307 for 3.7. Of a dated name the date is no part;
 * undefined when there is none, as in other names.
 */
export const claudeVersion = (model: string): number | undefined => {
  const version = /claude-(?:[a-z]+-)?v?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/i.exec(model)
  return version === null ? undefined : Number(version[1]) * 100 + Number(version[2] ?? 0)
}

/** A model's own name, without the makers that routers write before it (`openai/o3`). */
export const bareName = (model: string): string => model.slice(model.lastIndexOf("/") + 1).toLowerCase()

const window = (pattern: RegExp, tokens: number) => ({ pattern, tokens })

/** The first that fits counts. Only names whose window does not depend on the server they run on. */
const windows: ReadonlyArray<{ readonly pattern: RegExp; readonly tokens: number }> = [
  window(/^(gpt-5(\.\d+)?-chat|gpt-5.*-spark|o1-(mini|preview))/, 128_000),
  window(/^gpt-5(\.[0-3])?(-|$)|^gpt-5.*-(mini|nano)/, 400_000),
  window(/^gpt-5\.[4-6](-|$)/, 1_050_000),
  window(/^gpt-4\.1(-|$)/, 1_047_576),
  window(/^(gpt-4o|chatgpt-4o|gpt-4-turbo)/, 128_000),
  window(/^o[134](-|$)/, 200_000),
  window(/^gemini-(1\.5-flash|2\.\d|3)/, 1_048_576)
]

/** Tokens that a conversation with a well-known model may hold; undefined for all others. */
export const contextWindow = (model: string): number | undefined => {
  const claude = claudeVersion(model)
  if (claude !== undefined) return claude >= 406 ? 1_000_000 : claude >= 300 ? 200_000 : undefined
  const name = bareName(model)
  return windows.find(({ pattern }) => pattern.test(name))?.tokens
}

/** Names differ in case and punctuation from one program to the next. */
const fold = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

const synonyms: Readonly<Record<string, string>> = {
  google: "gemini",
  claude: "anthropic",
  kimi: "moonshot",
  grok: "xai",
  zhipu: "glm",
  dashscope: "qwen",
  alibaba: "qwen",
  nim: "nvidia",
  hf: "huggingface",
  openaicompatible: "custom"
}

export const find = (type: string): Family | undefined => {
  const folded = fold(type)
  return Object.hasOwn(families, folded) ? families[folded] : undefined
}

/** Edits that turn one word into the other. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** The known family whose name is most like `type`. */
export const nearest = (type: string): string => {
  const folded = fold(type)
  const known = Object.hasOwn(synonyms, folded) ? synonyms[folded] : undefined
  if (known !== undefined) return known
  const ranked = Object.keys(families)
    .map((name) => ({ name, far: distance(folded, name) }))
    .sort((a, b) => a.far - b.far)
  const best = ranked[0]
  return best !== undefined && best.far <= Math.max(2, folded.length / 3) ? best.name : "custom"
}
