// initialize: a missing version, and the fields of the v2 draft as v1 names them. @see acp-v1 section 3
import { isRecord } from "../wire/JsonText.ts"
import { own, type Params, type Read } from "./Read.ts"

/**
 * What a v2 client says, in v1's fields; it has no files or terminals of its own, and takes boolean options.
 *
 * @see acp-v1 section 3
 */
const capabilitiesOfV2 = (capabilities: unknown): Params => {
  const elicitation = own(capabilities, "elicitation")
  return {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    session: { configOptions: { boolean: {} } },
    auth: { terminal: isRecord(own(own(capabilities, "auth"), "terminal")) },
    ...(elicitation === undefined ? {} : { elicitation })
  }
}

/** In every mode: a v2 client that asks a v1 agent keeps what both versions know. */
export const fromV2 = (params: unknown): unknown => {
  if (!isRecord(params)) return params
  const version = own(params, "protocolVersion")
  const isV2 = typeof version === "number" && version >= 2
  const hasV1 = Object.hasOwn(params, "clientCapabilities")
  const hasV2 = Object.hasOwn(params, "capabilities") || Object.hasOwn(params, "info")
  if (!isV2 || hasV1 || !hasV2) return params
  const info = own(params, "info")
  return {
    ...params,
    ...(Object.hasOwn(params, "clientInfo") || info === undefined ? {} : { clientInfo: info }),
    clientCapabilities: capabilitiesOfV2(own(params, "capabilities"))
  }
}

/** `elicitation: {}` means forms to ZeroClaw, and nothing to the protocol. @see zeroclaw section 5.1 */
const withForms = (params: Params): Params => {
  const capabilities = own(params, "clientCapabilities")
  const elicitation = own(capabilities, "elicitation")
  return isRecord(capabilities) && isRecord(elicitation) && Object.keys(elicitation).length === 0
    ? { ...params, clientCapabilities: { ...capabilities, elicitation: { form: {} } } }
    : params
}

/** A missing version is 1; one that is there and wrong is left for the contract to refuse. */
export const read = (params: unknown, spoken: boolean): Read => {
  const given = params ?? {}
  if (!isRecord(given)) return { params, sign: false }
  const sign = !Object.hasOwn(given, "protocolVersion")
  const versioned = sign ? { ...given, protocolVersion: 1 } : given
  return { params: sign || spoken ? withForms(versioned) : versioned, sign }
}
