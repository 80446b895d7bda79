import { useEffect, useId, useLayoutEffect, useRef, useState } from "react"

import { asProblem } from "../api/problem"
import { editQueued } from "../api/routing"
import { useT } from "../i18n"
import { byteLength } from "../lib/bytes"
import { returnToDraft } from "../outbox/drafts"
import { Button } from "../ui/Button"
import { EditBox } from "../ui/EditBox"
import { toast } from "../ui/toasts"
import { LONGEST_MESSAGE } from "./composer/message-text"
import { useConversationContext } from "./shared/context"

interface Props {
  inbox: number
  text: string
  onDone: () => void
}

/** A waiting message while it is changed. If a turn takes the message in meanwhile, the new words go to the message box. */
export default function QueuedEditor({ inbox, text, onDone }: Props) {
  const t = useT()
  const id = useId()
  const { sessionKey } = useConversationContext()
  const [words, setWords] = useState(text)
  const [saving, setSaving] = useState(false)
  const left = useRef<string | undefined>(undefined) // what is lost if the message goes now
  useLayoutEffect(() => {
    left.current = words.trim() !== "" && words !== text ? words : undefined
  })
  const keep = useRef({ sessionKey, sentence: t("queue.takenMeanwhile") })
  useEffect(
    () => () => {
      if (left.current === undefined) return
      returnToDraft(keep.current.sessionKey, left.current)
      toast(keep.current.sentence)
    },
    [],
  )
  const leave = () => {
    left.current = undefined
    onDone()
  }
  const fits = words.trim() !== "" && byteLength(words) <= LONGEST_MESSAGE
  const save = () => {
    if (!fits || saving) return
    if (words === text) {
      leave()
      return
    }
    setSaving(true)
    editQueued(sessionKey, inbox, words.trim()).then(leave, (error: unknown) => {
      setSaving(false)
      toast(t("queue.editFailed", { reason: asProblem(error).message }))
    })
  }
  return (
    <div className="flex flex-col items-end">
      <label htmlFor={id} className="sr-only">
        {t("queue.edit")}
      </label>
      <EditBox id={id} value={words} onChange={setWords} onSend={save} onLeave={leave} />
      <div className="mt-1.5 flex items-center gap-2">
        <span className="pr-1 text-small text-ink-3">{t("queue.editHint")}</span>
        <Button look="quiet" onClick={leave}>
          {t("common.cancel")}
        </Button>
        <Button look="primary" aria-disabled={!fits || saving} onClick={save}>
          {t("queue.save")}
        </Button>
      </div>
    </div>
  )
}
