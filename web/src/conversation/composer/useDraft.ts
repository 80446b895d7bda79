import { useCallback } from "react"

import { useStore } from "../../lib/store"
import { draftOf, keepDraft } from "../../outbox/drafts"

/** What is being written in a conversation; every change is kept in the browser. */
export function useDraft(key: string): [text: string, write: (text: string) => void] {
  const text = useStore(draftOf(key))
  const write = useCallback((next: string) => keepDraft(key, next), [key])
  return [text, write]
}
