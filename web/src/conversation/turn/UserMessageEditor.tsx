import { useId, useState } from "react"

import { askAgain } from "../../api/branches"
import { asProblem } from "../../api/problem"
import type { Message } from "../../api/types"
import { useT } from "../../i18n"
import { byteLength } from "../../lib/bytes"
import { messageId } from "../../lib/ids"
import { Button } from "../../ui/Button"
import { EditBox } from "../../ui/EditBox"
import { toast } from "../../ui/toasts"
import { LONGEST_MESSAGE } from "../composer/message-text"
import { attachedFiles } from "../files/attachments"
import { useConversationContext } from "../shared/context"

interface Props {
  /** What was asked; several messages that were answered together are asked as one. */
  messages: Message[]
  onDone: () => void
}

/** What was asked while it is changed, to be asked anew in its place. Files and pictures stay with it. */
export default function UserMessageEditor({ messages, onDone }: Props) {
  const t = useT()
  const id = useId()
  const { sessionKey } = useConversationContext()
  const [request] = useState(messageId)
  const [words, setWords] = useState(() => messages.map(({ content }) => attachedFiles(content).words).join("\n\n"))
  const [sending, setSending] = useState(false)
  const text = words.trim()
  const fits = text !== "" && byteLength(text) <= LONGEST_MESSAGE
  const send = () => {
    const [first] = messages
    if (!fits || sending || !first) return
    setSending(true)
    askAgain(sessionKey, request, first.id, text).then(onDone, (error: unknown) => {
      setSending(false)
      toast(t("branch.againFailed", { reason: asProblem(error).message }))
    })
  }
  return (
    <div className="flex flex-col items-end">
      <label htmlFor={id} className="sr-only">
        {t("branch.edit")}
      </label>
      <EditBox id={id} value={words} onChange={setWords} onSend={send} onLeave={onDone} aria-describedby={`${id}-note`} />
      <div className="mt-1.5 flex w-full max-w-[34rem] flex-wrap items-center justify-end gap-2">
        <span id={`${id}-note`} className="min-w-0 flex-1 text-small text-ink-3">
          {t("branch.note")}
        </span>
        <Button look="quiet" onClick={onDone}>
          {t("common.cancel")}
        </Button>
        <Button look="primary" aria-disabled={!fits || sending} onClick={send}>
          {t("branch.send")}
        </Button>
      </div>
    </div>
  )
}
