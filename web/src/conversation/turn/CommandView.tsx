import { SquareTerminal } from "lucide-react"
import { memo } from "react"

import type { Message } from "../../api/types"
import { useT } from "../../i18n"
import { wholeDuration } from "../../i18n/format"
import { useNow } from "../../lib/useNow"
import { LazyMarkdown } from "../../markdown/LazyMarkdown"
import { useConversationContext } from "../shared/context"

/** A command that a person ran beside the conversation, and its answer. The model sees neither. */
export const CommandView = memo(function CommandView({ messages, settled }: { messages: Message[]; settled?: boolean }) {
  const t = useT()
  const asked = messages.find((message) => message.role === "user")
  const answer = messages.find((message) => message.role !== "user")
  return (
    <article aria-label={t("command.row")} className="overflow-hidden rounded-md border border-line">
      {asked && (
        <div className="flex items-baseline gap-2.5 bg-sunken px-3.5 py-2">
          <SquareTerminal size={15} aria-hidden className="relative top-0.5 shrink-0 text-ink-3" />
          <span className="sr-only">{t("command.by")}: </span>
          <code className="max-h-40 min-w-0 flex-1 overflow-y-auto font-mono text-small break-words whitespace-pre-wrap">{asked.content}</code>
          {!answer && !settled && <Running since={asked.created_at} compresses={/^[/／]comp(act|ress)\b/.test(asked.content.trim())} />}
        </div>
      )}
      {answer && (
        <div className="terminal px-3.5 py-2.5">
          <LazyMarkdown text={answer.content} live={false} />
        </div>
      )}
    </article>
  )
})

function Running({ since, compresses }: { since: string; compresses: boolean }) {
  const t = useT()
  const { skew } = useConversationContext()
  const seconds = (useNow(true) + skew - Date.parse(since)) / 1000
  return (
    <span className="shrink-0 text-small text-accent tabular-nums">
      {t(compresses ? "voice.compressing" : "tools.running")}
      {seconds >= 1 && ` · ${wholeDuration(t, seconds)}`}
    </span>
  )
}
