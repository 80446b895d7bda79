import { ExternalLink } from "lucide-react"
import { lazy, type ReactNode, Suspense } from "react"

import type { Message, Turn } from "../../api/types"
import { useLanguage, useT } from "../../i18n"
import { count, duration } from "../../i18n/format"
import { CopyButton } from "../../ui/CopyButton"
import { useConversationContext } from "../shared/context"
import { AgainButton } from "./AgainButton"
import { ForkButton } from "./ForkButton"

const RatingButtons = lazy(() => import("./RatingButtons"))

interface Props {
  turn?: Turn
  messages: Message[]
}

/** Under an answer, quietly: model, tokens, time, and the way to more. */
export function TurnFooter({ turn, messages }: Props) {
  const t = useT()
  const { showDetails } = useConversationContext()
  const last = messages.findLast((message) => message.role === "assistant")
  const asked = messages.find((message) => message.role === "user" && !message.origin)
  const model = turn?.model || last?.model
  return (
    <div className="-ml-1.5 flex flex-wrap items-center gap-x-1 text-small text-ink-3">
      {last && last.content !== "" && <CopyButton text={last.content} label={t("turn.copy")} />}
      {asked && <AgainButton message={asked} />}
      {last && turn && <ForkButton message={last} />}
      {last && turn?.ended_at && last.content !== "" && (
        <Suspense>
          <RatingButtons message={last} />
        </Suspense>
      )}
      {model && <Item>{model}</Item>}
      {turn && <Tokens turn={turn} />}
      {turn?.ended_at && <Item>{duration(t, Date.parse(turn.ended_at) - Date.parse(turn.started_at))}</Item>}
      {turn?.temporal_url && (
        <a href={turn.temporal_url} target="_blank" rel="noreferrer" className={`${linkLook} inline-flex items-center gap-1`}>
          {t("turn.temporal")} <ExternalLink size={12} aria-hidden />
        </a>
      )}
      {turn && (
        <button type="button" className={linkLook} onClick={() => showDetails(turn.id)}>
          {t("turn.details")}
        </button>
      )}
    </div>
  )
}

const linkLook = "rounded-sm px-1.5 py-1 underline decoration-line-strong underline-offset-3 hover:text-ink hover:decoration-current"

function Item({ children }: { children: ReactNode }) {
  return <span className="px-1.5 py-1 tabular-nums">{children}</span>
}

function Tokens({ turn }: { turn: Turn }) {
  const t = useT()
  const language = useLanguage()
  const { prompt_tokens: prompt, completion_tokens: completion } = turn.usage
  if (prompt + completion === 0) return null
  const long = t("turn.tokensLong", { prompt: count(language, prompt), completion: count(language, completion) })
  return (
    <span data-tip={long} className="px-1.5 py-1 tabular-nums">
      {t("turn.tokens", { total: count(language, prompt + completion) })}
    </span>
  )
}
