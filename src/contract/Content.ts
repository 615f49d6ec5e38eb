// Content blocks: what prompts, message chunks and tool calls carry. @see acp-v1 section 1.5
import { Schema } from "effect"
import { lenient, lenientList, Meta } from "./Lenient.ts"

export const Role = Schema.Literal("assistant", "user")

export const Annotations = Schema.Struct({
  audience: lenientList(Role),
  lastModified: lenient(Schema.String),
  priority: lenient(Schema.Finite),
  _meta: Meta
})

const common = { annotations: lenient(Annotations), _meta: Meta }

export const TextContent = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String, ...common })

export const ImageContent = Schema.Struct({
  type: Schema.Literal("image"),
  data: Schema.String,
  mimeType: Schema.String,
  uri: lenient(Schema.String),
  ...common
})

export const AudioContent = Schema.Struct({
  type: Schema.Literal("audio"),
  data: Schema.String,
  mimeType: Schema.String,
  ...common
})

export const ResourceLink = Schema.Struct({
  type: Schema.Literal("resource_link"),
  uri: Schema.String,
  name: Schema.String,
  title: lenient(Schema.String),
  description: lenient(Schema.String),
  mimeType: lenient(Schema.String),
  size: lenient(Schema.Int),
  ...common
})

export const TextResource = Schema.Struct({
  uri: Schema.String,
  text: Schema.String,
  mimeType: lenient(Schema.String),
  _meta: Meta
})

export const BlobResource = Schema.Struct({
  uri: Schema.String,
  blob: Schema.String,
  mimeType: lenient(Schema.String),
  _meta: Meta
})

export const EmbeddedResource = Schema.Struct({
  type: Schema.Literal("resource"),
  resource: Schema.Union(TextResource, BlobResource),
  ...common
})

export const ContentBlock = Schema.Union(TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource)
export type ContentBlock = typeof ContentBlock.Type

export const text = (value: string): ContentBlock => ({ type: "text", text: value })

export const MessageId = Schema.String
export const ContentChunk = { content: ContentBlock, messageId: lenient(MessageId), _meta: Meta }
