import { useMutation } from "@tanstack/react-query"
import { Check, type LucideIcon, MinusCircle, X } from "lucide-react"
import { lazy, Suspense } from "react"

import { answerApproval } from "../../api/calls"
import type { Approval as Question, ToolCall } from "../../api/types"
import { useLanguage, useT } from "../../i18n"
import { moment } from "../../i18n/format"
import { Note } from "../../ui/Note"
import { useConversationContext } from "../shared/context"
import { type Answer, ApprovalCard } from "./ApprovalCard"

const Plan = lazy(() => import("./Plan"))
const Questions = lazy(() => import("./Questions"))
const DeferredCall = lazy(() => import("./DeferredCall"))

interface Props {
  call: ToolCall
  approval: Question
  /** The call waits for the answer. */
  asking: boolean
}

/**
 * The question whether a call may run: a card while it is open, then one line that says who decided what. Questions of the
 * model have a form instead.
 */
export function Approval({ call, approval, asking }: Props) {
  const { sessionKey } = useConversationContext()
  const { mutate, isPending, isSuccess, error } = useMutation({ mutationFn: (answer: Answer) => answerApproval(sessionKey, call.id, answer) })
  const answering = isPending || isSuccess
  return (
    <div className="space-y-2 py-1">
      {approval.plan ? (
        <Suspense>
          <Plan call={call.id} approval={approval} asking={asking} answering={answering} onAnswer={mutate} />
        </Suspense>
      ) : approval.questions?.length ? (
        <Suspense>
          <Questions call={call.id} approval={approval} asking={asking} answering={answering} onAnswer={mutate} />
        </Suspense>
      ) : asking && approval.deferred ? (
        <Suspense>
          <DeferredCall call={call} reason={approval.reason} />
        </Suspense>
      ) : asking ? (
        <ApprovalCard call={call} reason={approval.reason} always={approval.always ?? undefined} answering={answering} onAnswer={mutate} />
      ) : (
        <Settled approval={approval} />
      )}
      {error && <Note tone="danger" className="text-small">{error.message}</Note>}
    </div>
  )
}

function Settled({ approval }: { approval: Question }) {
  const t = useT()
  const language = useLanguage()
  const { state, note, answered_at: at, answered_by: by = "" } = approval
  if (state === "open") return <Line icon={MinusCircle} words={t("approval.void")} />
  if (state === "void") return <Line icon={MinusCircle} words={t("approval.void")} />
  const late = state === "denied" && by === "xbot"
  const done = state === "allowed" && approval.asked !== undefined ? "changed" : state
  const words = late ? t("approval.late") : t(`approval.${done}`, { who: by })
  return <Line icon={state === "allowed" ? Check : X} words={words} at={at && moment(language, at)} note={note} />
}

function Line({ icon: Icon, words, at, note }: { icon: LucideIcon; words: string; at?: string; note?: string }) {
  return (
    <p className="flex gap-2 pl-6.5 text-small text-ink-3">
      <Icon size={15} aria-hidden className="mt-0.5 shrink-0" />
      <span className="min-w-0 break-words">
        {words}
        {at && <span className="tabular-nums"> · {at}</span>}
        {note && <span className="text-ink-2"> · “{note}”</span>}
      </span>
    </p>
  )
}
