// What secrets look like: tokens of well-known services, headers, assignments, addresses with a password. Pure.
// Every pattern has a bounded reach from where it may begin, so that the time is linear in the text.

/** One shape: what of a match is replaced, or the match as it is when it is no secret after all. */
export interface Shape {
  readonly pattern: RegExp
  readonly replace: (...match: ReadonlyArray<string>) => string
}

export const redacted = "[redacted]"
const as = (kind: string) => `[redacted: ${kind}]`

/** Kind, prefix, characters, and how many of them there are at least; fewer where the text was cut. */
const tokens: ReadonlyArray<readonly [kind: string, prefix: string, chars: string, least: number]> = [
  ["Anthropic key", "sk-ant-", "[\\w-]", 10],
  ["GitHub token", "gh[pousr]_", "[A-Za-z0-9]", 30],
  ["GitHub token", "github_pat_", "\\w", 22],
  ["GitLab token", "gl(?:pat|dt|rt|cbt|ptt|ft|soat)-", "[\\w-]", 16],
  ["Slack token", "xox[abeoprs]-", "[A-Za-z0-9-]", 10],
  ["Slack token", "xapp-", "[A-Za-z0-9-]", 20],
  ["Google key", "AIza", "[\\w-]", 30],
  ["Google token", "ya29\\.", "[\\w-]", 20],
  ["Google secret", "GOCSPX-", "[\\w-]", 20],
  ["npm token", "npm_", "[A-Za-z0-9]", 30],
  ["PyPI token", "pypi-AgE", "[\\w-]", 30],
  ["Hugging Face token", "hf_", "[A-Za-z0-9]", 30],
  ["Stripe key", "[sr]k_(?:live|test)_", "[A-Za-z0-9]", 16],
  ["Groq key", "gsk_", "[A-Za-z0-9]", 30],
  ["xAI key", "xai-", "[A-Za-z0-9]", 40],
  ["DigitalOcean token", "do[opr]_v1_", "[a-f0-9]", 40],
  ["SendGrid key", "SG\\.", "[\\w-]{16,64}\\.[\\w-]", 16],
  ["age key", "AGE-SECRET-KEY-1", "[A-Z0-9]", 40],
  ["ZeroClaw token", "zc_", "[a-f0-9]", 64]
]

/** What follows a text that was cut in the middle of a word. */
const cut = "(?=\\u2026)"

const ofService = tokens.map(
  ([kind, prefix, chars, least]): Shape => ({
    pattern: new RegExp(`(?<![A-Za-z0-9])${prefix}${chars}(?:${chars}{${least - 1},}|${chars}{3,}${cut})`, "g"),
    replace: () => as(kind)
  })
)

/** `sk-` begins names of styles too: those have no capitals. */
const openAi: Shape = {
  pattern: /(?<![A-Za-z0-9_-])sk-[\w-]{16,}/g,
  replace: (match = "") =>
    hasDigit(match) && (/[A-Z]/.test(match) || /[0-9a-f]{32}/.test(match)) ? as("API key") : match
}

/** The secret may stand beside its id. */
const aws: Shape = {
  pattern:
    /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])(?:([\s,:;|"']{1,8})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=]))?/g,
  replace: (_match, between = "") => `${as("AWS key id")}${between}${between === "" ? "" : redacted}`
}

/** Two JSON objects and a signature, in base64. */
const jwt: Shape = {
  pattern: /(?<![\w-])eyJ[\w-]{8,}\.(?:eyJ[\w-]{4,}(?:\.[\w-]*)?|[\w-]{16,}\.[\w-]{16,})/g,
  replace: () => as("JWT")
}

const authorization: Shape = {
  pattern:
    /(authorization["']?\s{0,4}[:=]\s{0,4}["']?)(Bearer|Basic|Token|Digest|ApiKey)(\s{1,4})([^\s"'`,;<>$[{]{6,})/gi,
  replace: (match = "", name = "", scheme = "", space = "", value = "") =>
    isPlaceholder(value) ? match : `${name}${scheme}${space}${redacted}`
}

const bearer: Shape = {
  pattern: /(?<!\w)(Bearer\s{1,4})([A-Za-z0-9._~+/-]{16,}={0,2})/gi,
  replace: (match = "", scheme = "", value = "") =>
    hasDigit(value) && !isPlaceholder(value) ? `${scheme}${redacted}` : match
}

/** Only the password; who it belongs to is no secret. */
const address: Shape = {
  pattern: /(:\/\/[^\s/:@"'`<>]{0,100}:)([^\s/@"'`<>]{1,300})@/g,
  replace: (match = "", before = "", value = "") =>
    isPlaceholder(value) || /^(?:pass|pwd|pw|x-oauth-basic)$/i.test(value) ? match : `${before}${redacted}@`
}

const standIns =
  /^(?:(.)\1+|null|none|nil|undefined|true|false|string|optional|required|empty|redacted|hidden|masked|(?:change|replace|example|placeholder|dummy|fake|sample|todo|insert|your)[\W_A-Za-z].*|my[-_].*)$/i
const expression =
  /^[$%<{[(]|\$\{|\{\{|%\(|\(\)|^(?:process|import|os|env|ENV|config|self|this|args?|options?|req|request|settings|secrets|vault)[.[]/
const namesOne = /password|passwd|secret|token|api[-_]?key|credential/i

const hasDigit = (text: string): boolean => /\d/.test(text)

/** Stands where a secret would: a variable, an expression, a word for one. */
const isPlaceholder = (value: string): boolean =>
  expression.test(value) || standIns.test(value) || (namesOne.test(value) && !hasDigit(value))

const isNumber = (value: string): boolean => /^[\d.,:_-]+$/.test(value)
const isPassword = (name: string): boolean => /pass|pwd/i.test(name)
const isVague = (name: string): boolean => /token|credential/i.test(name)

/** Whether a value in quotes is one that somebody made up, and no name, label or number. */
const isQuotedSecret = (name: string, value: string): boolean => {
  if (/\s/.test(value) || isNumber(value)) return false
  // A passphrase of plain words is long; shorter ones are labels.
  if (/^[\p{L}_.\-/]+$/u.test(value)) return isPassword(name) && value.length >= 12
  return !isVague(name) || (hasDigit(value) && value.length >= 10)
}

const isCode = (value: string): boolean => /^[A-Za-z_$][\w$]*(?:[.?!:]{1,2}[A-Za-z_$][\w$]*)*$/.test(value)
const isType = (value: string): boolean =>
  /^(?:[A-Z]|u?int|float|bytes|str|utf|sha|md|base|(?:var)?char|uuid|[iuf]\d)/.test(value)

/** Whether a bare value is one: code names types and variables in the same place. */
const isBareSecret = (name: string, between: string, value: string): boolean => {
  if (isNumber(value)) return false
  if (!isCode(value)) return hasDigit(value)
  if (between === "=") return name === name.toUpperCase() || hasDigit(value)
  if (value.replace(/\D/g, "").length >= 3 && value.length >= 12) return true
  return isPassword(name) && hasDigit(value) && !isType(value) && !value.includes(".")
}

const names =
  "pass(?:word|wd|phrase)|pwd|secret(?:[_-]?access)?(?:[_-]?key)?|(?:api|access|private)[_-]?key|token|credentials?"
const bareChar = "[^\\s\"'`,;&|<>(){}\\[\\]]"

/** `name = "value"`, `name: value`, `"name": "value"`, `NAME=value`, `?name=value`. */
const assignment: Shape = {
  pattern: new RegExp(
    `(${names})(\\\\{0,3}["'\`])?([ \\t]{0,4}(?:=>|:=|[:=])[ \\t]{0,4})(?:(\\\\{0,3}["'\`])([^"'\`\\r\\n]{6,300})\\4|(${bareChar}{6,300})(?!${bareChar}|\\())`,
    "gi"
  ),
  replace: (match = "", name = "", quote = "", between = "", mark = "", quoted = "", bare = "") => {
    const value = quoted === "" ? bare : quoted
    const secret = quoted === "" ? isBareSecret(name, between, bare) : isQuotedSecret(name, quoted)
    return secret && !isPlaceholder(value) ? `${name}${quote}${between}${mark}${redacted}${mark}` : match
  }
}

/** In the order in which they are looked for: the more telling ones first. */
export const shapes: ReadonlyArray<Shape> = [...ofService, openAi, aws, jwt, authorization, bearer, address, assignment]
