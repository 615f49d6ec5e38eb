// Frames as they are on the wire, one JSON line each: `{"dir":"in"|"out","frame":{…}}`.
import { Effect } from "effect"
import type { TransportService } from "../transport/Transport.ts"
import { isRecord, parse } from "../wire/JsonText.ts"
import type { Line } from "../wire/Lines.ts"

type Write = (text: string) => Effect.Effect<void>

/** The frame's own text is kept, so that nothing in it is rounded or reordered. */
const line = (dir: "in" | "out", frame: string): string => `{"dir":"${dir}","frame":${frame.trim()}}\n`

export const recordOut = (transport: TransportService, write: Write): TransportService => ({
  incoming: transport.incoming,
  send: (text) => Effect.zipRight(write(line("out", text)), transport.send(text))
})

/** Only JSON objects: what else an agent writes is noise and no frame. */
export const recordIn = (incoming: Line, write: Write): Effect.Effect<void> => {
  if (incoming._tag !== "Text") return Effect.void
  const parsed = parse(incoming.text)
  return parsed._tag === "Value" && isRecord(parsed.value) ? write(line("in", incoming.text)) : Effect.void
}
