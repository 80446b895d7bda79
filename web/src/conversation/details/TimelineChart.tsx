import { useLanguage, useT } from "../../i18n"
import { count, duration } from "../../i18n/format"
import { cx } from "../../lib/cx"
import type { Bar } from "./timeline"

interface Props {
  bars: Bar[]
  length: number
  ended: boolean
}

/** The stretches of a turn under each other, on one scale. */
export function TimelineChart({ bars, length, ended }: Props) {
  return (
    <ol className="space-y-2.5">
      {bars.map((bar) => (
        <Row key={bar.id} bar={bar} length={length} ended={ended} />
      ))}
    </ol>
  )
}

function Row({ bar, length, ended }: { bar: Bar; length: number; ended: boolean }) {
  const t = useT()
  const language = useLanguage()
  const end = bar.end ?? (ended ? bar.start : length)
  const tokens = bar.usage && bar.usage.prompt_tokens + bar.usage.completion_tokens
  return (
    <li className="text-small">
      <div className="flex items-baseline gap-2">
        <span className="shrink-0">{bar.kind === "model" ? `${t("details.modelCall")} ${bar.name}` : bar.name}</span>
        <span className="min-w-0 flex-1 truncate text-ink-3">
          {bar.summary ? <span className="font-mono text-[0.75rem]">{bar.summary}</span> : tokens ? t("turn.tokens", { total: count(language, tokens) }) : ""}
        </span>
        <span className={cx("shrink-0 tabular-nums", bar.failed ? "text-danger" : "text-ink-2")}>
          {bar.failed && `${t("tools.failed")} `}
          {bar.end === undefined && ended ? t("tools.interrupted") : duration(t, end - bar.start)}
        </span>
      </div>
      <div className="mt-1 h-1.5 rounded-full bg-hover">
        <div
          className={cx("h-full min-w-1 rounded-full", bar.failed ? "bg-danger" : bar.kind === "model" ? "bg-accent" : "bg-ink-3")}
          style={{ marginLeft: `${(100 * bar.start) / length}%`, width: `${(100 * (end - bar.start)) / length}%`, maxWidth: "100%" }}
        />
      </div>
    </li>
  )
}
