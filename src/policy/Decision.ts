// What a tool wants to do, and what policy says to it. Pure data.

export const levels = ["readonly", "supervised", "full"] as const
export type Level = (typeof levels)[number]

/** An action as a tool states it before it acts. Paths are as the model wrote them. */
export type Action =
  | { readonly _tag: "Read"; readonly tool: string; readonly path: string }
  | { readonly _tag: "Search"; readonly tool: string; readonly path: string }
  | { readonly _tag: "Write"; readonly tool: string; readonly path: string }
  | { readonly _tag: "Execute"; readonly tool: string; readonly command: string }
  | { readonly _tag: "Fetch"; readonly tool: string; readonly url: string }
  /** No effect outside the conversation. */
  | { readonly _tag: "Converse"; readonly tool: string }

export type Decision =
  | { readonly _tag: "Allow"; readonly reason: string }
  /** `always` is what "always allow" would cover, in words; absent when it may not be offered. */
  | { readonly _tag: "Ask"; readonly reason: string; readonly always?: string }
  | { readonly _tag: "Deny"; readonly reason: string }
