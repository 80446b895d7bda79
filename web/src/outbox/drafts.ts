import { readItem, writeItem } from "../lib/storage"
import { Store } from "../lib/store"

const place = (key: string) => `xbot.draft.${key}`

/** The draft of the page where conversations begin. */
export const START_DRAFT = "start"

const drafts = new Map<string, Store<string>>()

/** What was typed but not sent in a conversation. The same store for everybody who asks. */
export function draftOf(key: string): Store<string> {
  const draft = drafts.get(key) ?? new Store(readItem(place(key)) ?? "")
  drafts.set(key, draft)
  return draft
}

/** Writes a draft and keeps it in the browser. */
export function keepDraft(key: string, text: string): void {
  draftOf(key).set(text)
  writeItem(place(key), text)
}

/** Puts a word at the end of a draft, whatever was typed meanwhile. */
export function addToDraft(key: string, word: string): void {
  const text = draftOf(key).get()
  keepDraft(key, text === "" || /\s$/.test(text) ? `${text}${word} ` : `${text} ${word} `)
}

export const forgetDraft = (key: string): void => keepDraft(key, "")

/** Puts a text before what is being written, so that it can be changed and sent again. */
export function returnToDraft(key: string, text: string): void {
  const draft = draftOf(key).get()
  keepDraft(key, draft.trim() === "" ? text : `${text}\n${draft}`)
}
