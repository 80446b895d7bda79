import { readItem, writeItem } from "../lib/storage"

const place = (key: string) => `xbot.draft.${key}`

/** The draft of the page where conversations begin. */
export const START_DRAFT = "start"

/** What was typed but not sent in a conversation. */
export const readDraft = (key: string): string => readItem(place(key)) ?? ""

export const keepDraft = (key: string, text: string): void => writeItem(place(key), text)

export const forgetDraft = (key: string): void => writeItem(place(key), "")
