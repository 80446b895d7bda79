import type { Outgoing } from "../api/calls"
import { place } from "../lib/service"
import { names, readJson, remove, write } from "../lib/storage"

/** A message that is on its way. It is kept before it is sent, and until the server has taken it. */
export interface Pending extends Outgoing {
  /** The last message of the conversation before it: from there on it may be found. Empty: there was none. */
  after: string
}

const at = (conversation: string, key: string) => place(`out.${conversation}.${key}`)

export const keepPending = (conversation: string, pending: Pending): void => write(at(conversation, pending.key), JSON.stringify(pending))

export const dropPending = (conversation: string, key: string): void => remove(at(conversation, key))

/** What a page that went away has left on its way. */
export function pendingOf(conversation: string): Pending | undefined {
  for (const name of names(at(conversation, ""))) {
    const kept = readJson(name) as Partial<Pending> | undefined
    if (typeof kept?.key === "string" && typeof kept.text === "string" && Array.isArray(kept.attachments)) return { key: kept.key, text: kept.text, attachments: kept.attachments, after: kept.after ?? "" }
    remove(name) // it is no message that could be sent
  }
  return undefined
}

/** Forgets what was on its way in a conversation that is no more. */
export function dropAllPending(conversation: string): void {
  for (const name of names(at(conversation, ""))) remove(name)
}

const draftAt = (conversation: string | undefined) => place(`draft.${conversation ?? "new"}`)

/** What somebody has begun to write. */
export const draftOf = (conversation: string | undefined): string => readJson(draftAt(conversation))?.toString() ?? ""

export function keepDraft(conversation: string | undefined, text: string): void {
  if (text === "") remove(draftAt(conversation))
  else write(draftAt(conversation), JSON.stringify(text))
}

/** Forgets a draft that was sent, unless another tab has begun a new one. */
export function dropDraft(conversation: string | undefined, sent: string): void {
  if (draftOf(conversation) === sent) remove(draftAt(conversation))
}
