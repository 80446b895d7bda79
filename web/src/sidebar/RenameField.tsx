import { useEffect, useRef, useState } from "react"

import type { Session } from "../api/types"
import { useT } from "../i18n"
import { toast } from "../ui/toasts"
import { useSessionActions } from "./useSessionActions"

/** The title of a conversation as a field: Enter or leaving it keeps the new title, Escape the old one. */
export function RenameField({ session, onDone }: { session: Session; onDone: () => void }) {
  const t = useT()
  const [before] = useState(session.title) // a model may name the conversation meanwhile
  const [title, setTitle] = useState(before)
  const input = useRef<HTMLInputElement>(null)
  const { change } = useSessionActions(session)
  useEffect(() => {
    // After the menu that opened this field has given its focus back.
    const frame = requestAnimationFrame(() => input.current?.select())
    return () => cancelAnimationFrame(frame)
  }, [])
  const save = () => {
    const next = title.trim()
    onDone()
    if (next === "" || next === before) return
    change.mutate({ title: next }, { onError: (error) => toast(t("session.changeFailed", { reason: error.message })) })
  }
  return (
    <input
      ref={input}
      value={title}
      aria-label={t("session.renameLabel")}
      maxLength={200}
      onChange={(event) => setTitle(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key === "Enter") save()
        if (event.key === "Escape") onDone()
      }}
      className="h-9 w-full rounded-md bg-canvas px-2 outline-2 -outline-offset-2 outline-accent"
    />
  )
}
