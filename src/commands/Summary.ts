// The two messages that stand for a conversation that was summed up. Pure.
import type { Message } from "../model/Message.ts"

const opening = "[Summary of the earlier conversation."

/** UTF-16 units; a model that writes more is cut, or the summary would itself be in the way. */
export const maxSummary = 48_000

/** The person did not type the first one, so it says so; the second keeps their next prompt apart from it. */
export const toHistory = (summary: string, author: string): ReadonlyArray<Message> => [
  {
    _tag: "User",
    text: `${opening} It replaces the messages before this point; ${author} wrote it, not the person.]\n\n${summary}`
  },
  { _tag: "Assistant", parts: [{ _tag: "Text", text: "I have read the summary and go on from there." }] }
]

export const isSummary = (message: Message): boolean => message._tag === "User" && message.text.startsWith(opening)

/** The summary itself, without what introduces it. */
export const bodyOf = (message: Message): string | undefined =>
  message._tag === "User" && isSummary(message) ? message.text.slice(message.text.indexOf("]\n\n") + 3) : undefined

/** Whether there is nothing but a summary, so that nothing is left to sum up. */
export const isOnlySummary = (history: ReadonlyArray<Message>): boolean => {
  const [first, second, more] = history
  return first !== undefined && isSummary(first) && second?._tag === "Assistant" && more === undefined
}
