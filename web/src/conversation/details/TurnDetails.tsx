import { ExternalLink } from "lucide-react"
import { lazy, Suspense } from "react"

import type { Message, Turn } from "../../api/types"
import { useLanguage, useT } from "../../i18n"
import { count, duration, fullMoment } from "../../i18n/format"
import { useNow } from "../../lib/useNow"
import { Facts, Section } from "../../ui/Section"
import { RequestButton } from "../context/RequestButton"
import type { TurnFeed } from "../feed/state"
import { useConversationContext } from "../shared/context"
import { lengthOf, timelineOf } from "./timeline"
import { TimelineChart } from "./TimelineChart"

const ChangedFiles = lazy(() => import("./ChangedFiles"))

interface Props {
  turn: Turn
  messages: Message[]
  feed: TurnFeed
}

export function TurnDetails({ turn, messages, feed }: Props) {
  const t = useT()
  const { skew } = useConversationContext()
  const running = turn.state === "running"
  const now = useNow(running) + skew
  const bars = timelineOf(turn, messages, feed)
  const length = lengthOf(turn, bars, now)
  return (
    <>
      <TurnFacts turn={turn} length={length} />
      {bars.length > 0 && (
        <Section title={t("details.timeline")}>
          <TimelineChart bars={bars} length={length} ended={!running} />
        </Section>
      )}
      <Suspense>
        <ChangedFiles messages={messages} feed={feed} />
      </Suspense>
      <RequestButton messages={messages} turn={turn.id} />
      {turn.temporal_url && (
        <a href={turn.temporal_url} target="_blank" rel="noreferrer" className="inline-flex items-center gap-1.5 rounded-sm text-small text-accent underline underline-offset-3">
          {t("turn.temporal")} <ExternalLink size={13} aria-hidden />
        </a>
      )}
    </>
  )
}

function TurnFacts({ turn, length }: { turn: Turn; length: number }) {
  const t = useT()
  const language = useLanguage()
  const { usage } = turn
  const tokens = (n: number | undefined) => (n ? count(language, n) : undefined)
  return (
    <Facts
      rows={[
        [t("details.state"), t(`state.${turn.state}`)],
        [t("details.model"), turn.model],
        [t("details.started"), fullMoment(language, turn.started_at)],
        [t("details.duration"), duration(t, length)],
        [t("details.steps"), turn.steps],
        [t("details.tokensIn"), tokens(usage.prompt_tokens)],
        [t("details.tokensCached"), tokens(usage.cached_tokens)],
        [t("details.tokensOut"), tokens(usage.completion_tokens)],
        [t("details.turnId"), <span key="id" className="font-mono text-[0.75rem] wrap-anywhere">{turn.id}</span>],
      ]}
    />
  )
}
