import type { Unsent } from "../../outbox/outbox"
import { isAutomatic } from "../feed/origin"
import type { FeedState } from "../feed/state"

/** What the person has sent in a conversation, oldest first: answered, waiting, and on its way to the server. */
export function sentTexts({ messages, queued }: Pick<FeedState, "messages" | "queued">, unsent: Pick<Unsent, "text">[]): string[] {
  const asked = messages.filter((message) => message.role === "user" && !isAutomatic(message)).map((message) => message.content)
  return [...asked, ...queued.map((entry) => entry.text), ...unsent.map((entry) => entry.text)]
}

/**
 * Walks through what was sent before, like a shell does. `at` counts back from the newest entry, 0 being the box's own
 * text; the returned text belongs to the new place.
 */
export function recall(sent: string[], at: number, step: 1 | -1): { at: number; text: string } | undefined {
  const next = at + step
  if (next < 0 || next > sent.length) return undefined
  return { at: next, text: next === 0 ? "" : (sent.at(-next) ?? "") }
}
