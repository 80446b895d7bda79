import { useMutation } from "@tanstack/react-query"
import { Hand, ShieldOff } from "lucide-react"
import type { ReactNode } from "react"

import { allowTurn, answerApprovals } from "../../api/allowance"
import { useT } from "../../i18n"
import { Button } from "../../ui/Button"
import { askingCalls } from "../feed/activity"
import type { FeedState } from "../feed/state"
import { useConversationContext } from "../shared/context"

/** Above the composer while calls wait for a person, or all are allowed: answers to more than one call. */
export default function ApprovalStrip({ feed, turn }: { feed: FeedState; turn: string }) {
  const t = useT()
  const { sessionKey } = useConversationContext()
  const waiting = askingCalls(feed).filter(({ approval }) => !approval?.plan && !approval?.questions?.length && !approval?.deferred)
  const allows = feed.turns[turn]?.turn?.allows
  const several = useMutation({ mutationFn: (decision: "allow" | "deny") => answerApprovals(sessionKey, waiting.map(({ id }) => id), decision) })
  const all = useMutation({ mutationFn: (allow: boolean) => allowTurn(sessionKey, turn, allow) })
  const busy = several.isPending || all.isPending
  if (!allows && waiting.length === 0) return null
  return (
    <Strip icon={allows ? <ShieldOff size={15} aria-hidden className="shrink-0 text-warn" /> : <Hand size={15} aria-hidden className="shrink-0 text-warn" />} why={all.error?.message ?? several.error?.message ?? several.data}>
      {allows && <p role="status" className="min-w-0 flex-1 font-medium">{t("approval.turnAllowed", { who: allows.by })}</p>}
      {waiting.length > 1 && (
        <>
          <Button className="h-8" aria-disabled={busy} onClick={() => busy || several.mutate("allow")}>{t("approval.allowAll", { count: waiting.length })}</Button>
          <Button className="h-8" aria-disabled={busy} onClick={() => busy || several.mutate("deny")}>{t("approval.denyAll")}</Button>
        </>
      )}
      <Button look="quiet" className="h-8" aria-disabled={busy} onClick={() => busy || all.mutate(!allows)}>{t(allows ? "approval.askAgain" : "approval.allowTurn")}</Button>
    </Strip>
  )
}

function Strip({ icon, why, children }: { icon: ReactNode; why?: string; children: ReactNode }) {
  return (
    <div className="mb-2 rounded-md border border-warn px-3 py-1 text-small">
      <div className="flex min-h-8 flex-wrap items-center gap-2">
        {icon}
        {children}
      </div>
      {why && <p role="alert" className="pb-1 text-danger">{why}</p>}
    </div>
  )
}
