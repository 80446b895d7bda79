import { type Language, type Translate, useLanguage, useT } from "../../i18n"
import { moment, wholeDuration } from "../../i18n/format"
import { cx } from "../../lib/cx"
import { useNow } from "../../lib/useNow"
import type { Activity } from "../feed/activity"
import { useConversationContext } from "../shared/context"
import { Notice } from "./Notice"

interface Props {
  voice: Activity
  /** When the turn started. */
  startedAt?: string
}

/** What it does not end by itself, or not soon. */
const waits: Activity["kind"][] = ["asking", "inquiring", "deferred", "provider"]

/** What a running turn does, in words, with the seconds it has taken. */
export function ActivityLine({ voice, startedAt }: Props) {
  const t = useT()
  const language = useLanguage()
  const { link, stopping, skew } = useConversationContext()
  const held = link === "lost"
  const now = useNow(!held) + skew
  const words = held ? t("voice.held") : stopping ? t("voice.stopping") : wordsOf(voice, t, language)
  const elapsed = startedAt && !held ? (now - Date.parse(startedAt)) / 1000 : 0
  return (
    <div className="text-small text-ink-3">
      {voice.kind === "retrying" && !held && !stopping && (
        <div className="mb-3">
          <Notice text={voice.retry.text || voice.retry.reason} grave />
        </div>
      )}
      <p className="flex items-baseline gap-2.5">
        <span aria-hidden className={cx("relative top-px ml-1 size-2 shrink-0 rounded-full", waits.includes(voice.kind) ? "bg-warn" : "bg-accent")} />
        <span className="min-w-0">
          {words}
          {elapsed >= 1 && <span className="tabular-nums"> · {wholeDuration(t, elapsed)}</span>}
        </span>
      </p>
    </div>
  )
}

function wordsOf(voice: Activity, t: Translate, language: Language): string {
  switch (voice.kind) {
    case "tools":
      return t("voice.tools", { tools: [...new Set(voice.names)].join(", ") })
    case "asking":
    case "deferred":
      return t(`voice.${voice.kind}`, { tool: voice.tool })
    case "calling":
      return t("voice.calling", { tool: voice.tool })
    case "provider":
      return t("voice.provider", { reason: voice.wait.reason, at: moment(language, voice.wait.next ?? voice.wait.until) })
    case "retrying":
      return t("voice.retry", { attempt: voice.retry.attempt, max: voice.retry.max })
    default:
      return t(`voice.${voice.kind}`)
  }
}

