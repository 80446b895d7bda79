import { useMutation } from "@tanstack/react-query"
import { ChevronLeft, ChevronRight } from "lucide-react"
import { useEffect, useRef } from "react"

import { switchBranch } from "../../api/branches"
import type { Message } from "../../api/types"
import { useT } from "../../i18n"
import { IconButton } from "../../ui/IconButton"
import { toast } from "../../ui/toasts"
import { useConversationContext } from "../shared/context"

/** The button that was used last, so that it has the focus again in the version that takes the place of this one. */
let used: { place: number; way: -1 | 1 } | undefined

/** Which version of a message this is of how many, with the way to its neighbours. Nothing where there is one. */
export function BranchSwitch({ message }: { message: Message }) {
  const t = useT()
  const { sessionKey } = useConversationContext()
  const versions = message.branches ?? []
  const at = versions.indexOf(message.id)
  const [first] = versions
  const buttons = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (!used || used.place !== first) return
    const [back, on] = buttons.current?.querySelectorAll("button") ?? []
    const [wanted, other] = used.way < 0 ? [back, on] : [on, back]
    used = undefined
    const next = wanted?.disabled ? other : wanted
    next?.focus()
  }, [first])
  const { mutate, isPending } = useMutation({
    mutationFn: (way: -1 | 1) => switchBranch(sessionKey, versions[at + way] ?? message.id),
    onMutate: (way) => {
      if (first !== undefined) used = { place: first, way }
    },
    onError: (error) => {
      used = undefined
      toast(t("branch.failed", { reason: error.message }))
    },
  })
  if (versions.length < 2 || at < 0) return null
  const go = (way: -1 | 1) => () => !isPending && mutate(way)
  return (
    <span ref={buttons} role="group" aria-label={t("branch.versions")} className="inline-flex items-center text-small text-ink-2 tabular-nums">
      <IconButton small label={t("branch.previous")} disabled={at === 0} onClick={go(-1)}>
        <ChevronLeft size={15} aria-hidden />
      </IconButton>
      <span className="whitespace-nowrap">{t("branch.at", { n: at + 1, count: versions.length })}</span>
      <IconButton small label={t("branch.next")} disabled={at === versions.length - 1} onClick={go(1)}>
        <ChevronRight size={15} aria-hidden />
      </IconButton>
    </span>
  )
}
