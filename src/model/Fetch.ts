// HTTP for the provider packages: follows no redirect with a key, and takes nothing but an event stream for a reply.
import * as ProviderError from "./ProviderError.ts"

const maxExcerptBytes = 16_384

/** The beginning of a body. */
const beginning = async (response: Response): Promise<string> => {
  const reader = response.body?.getReader()
  if (reader === undefined) return ""
  const decoder = new TextDecoder()
  let read = ""
  while (read.length < maxExcerptBytes) {
    const { done, value } = await reader.read()
    if (done) break
    read += decoder.decode(value, { stream: true })
  }
  await reader.cancel()
  return read
}

const isDocument = (contentType: string): boolean =>
  /html|xml|\bjson\b/i.test(contentType) && !/event-stream|ndjson/i.test(contentType)

export const guardedFetch =
  (where: ProviderError.Where): typeof globalThis.fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers)
    // The Anthropic package always sends this header; a key may also be in another one.
    if (headers.get("x-api-key") === "") headers.delete("x-api-key")
    const response = await globalThis.fetch(input, { ...init, headers, redirect: "manual" })
    const contentType = response.headers.get("content-type") ?? ""
    if (response.ok && isDocument(contentType)) {
      throw ProviderError.fromWrongContent(where, contentType, await beginning(response))
    }
    return response
  }
