// Takes secrets out of text that is about to be logged or shown in an error. Pure.

const patterns: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, "$1 [redacted]"],
  [/\b(sk|pk|rk|xox[abprs]|gh[pousr]|glpat|zc)[-_][A-Za-z0-9_-]{8,}/g, "[redacted]"],
  [/\b(AKIA|ASIA)[A-Z0-9]{12,}/g, "[redacted]"],
  [/([?&](?:token|key|api_key|access_token|auth|password|secret)=)[^&\s"']+/gi, "$1[redacted]"],
  [/(\/\/)[^/\s:@]+:[^/\s@]+@/g, "$1[redacted]@"],
  [
    /((?:api[_-]?key|token|password|passwd|secret|authorization|cookie)["']?\s*[:=]\s*["']?)[^\s"',;}]{4,}/gi,
    "$1[redacted]"
  ]
]

export const redact = (text: string): string =>
  patterns.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), text)
