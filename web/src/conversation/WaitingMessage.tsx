import { Clock, Pencil, Undo2 } from "lucide-react"
import { lazy, Suspense, useEffect, useState } from "react"

import { asProblem } from "../api/problem"
import { recallQueued } from "../api/routing"
import type { Queued } from "../api/types"
import { useT } from "../i18n"
import { IconButton } from "../ui/IconButton"
import { toast } from "../ui/toasts"
import { onEditRequest } from "./edit-requests"
import { useConversationContext } from "./shared/context"
import { UserMessage } from "./turn/UserMessage"

const QueuedEditor = lazy(() => import("./QueuedEditor"))

interface Props {
  queued: Queued
  /** 1: it is next. */
  place: number
  running: boolean
}

/** A message that waits: how it joins what runs, its place, and the ways to change it or take it back. */
export function WaitingMessage({ queued, place, running }: Props) {
  const t = useT()
  const { sessionKey } = useConversationContext()
  const [editing, setEditing] = useState(false)
  const [recalling, setRecalling] = useState(false)
  const { inbox_id: inbox, text } = queued
  useEffect(() => onEditRequest(sessionKey, inbox, () => setEditing(true)), [sessionKey, inbox])
  const recall = () => {
    setRecalling(true)
    recallQueued(sessionKey, inbox).catch((error: unknown) => {
      setRecalling(false)
      toast(t("queue.recallFailed", { reason: asProblem(error).message }))
    })
  }
  if (editing) {
    return (
      <Suspense>
        <QueuedEditor inbox={inbox} text={text} onDone={() => setEditing(false)} />
      </Suspense>
    )
  }
  const words = running ? t(`queue.wait_${queued.mode ?? "followup"}`, { place }) : t("delivery.accepted")
  return (
    <div role="group" aria-label={t("queue.waiting")}>
      <UserMessage text={text} sender={queued.sender}>
        <div className="mt-1 flex min-h-7 items-center gap-1 text-small text-ink-3">
          {running && (
            <span className="flex items-center opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
              <IconButton small label={t("queue.recall")} disabled={recalling} onClick={recall}>
                <Undo2 size={15} aria-hidden />
              </IconButton>
              <IconButton small label={t("queue.edit")} disabled={recalling} onClick={() => setEditing(true)}>
                <Pencil size={14} aria-hidden />
              </IconButton>
            </span>
          )}
          <Clock size={13} aria-hidden />
          <span className="pr-1">{words}</span>
        </div>
      </UserMessage>
    </div>
  )
}
