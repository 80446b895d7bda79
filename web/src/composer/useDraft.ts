import { useCallback, useState } from "react"

import { keepDraft, readDraft } from "./drafts"

/** What is being written in a conversation; every change is kept in the browser. */
export function useDraft(key: string): [text: string, write: (text: string) => void] {
  const [text, setText] = useState(() => readDraft(key))
  const write = useCallback(
    (next: string) => {
      setText(next)
      keepDraft(key, next)
    },
    [key],
  )
  return [text, write]
}
