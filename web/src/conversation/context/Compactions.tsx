import type { Compaction } from "../../api/types"
import { useLanguage, useT } from "../../i18n"
import { moment, tokens } from "../../i18n/format"
import { methodOf, triggerOf } from "./words"

/** The compactions of a conversation, newest first: when and why, and what they saved. */
export function Compactions({ list }: { list: Compaction[] }) {
  const t = useT()
  if (list.length === 0) return <p className="mb-3 text-small text-ink-2">{t("compaction.none")}</p>
  const newest = [...list].sort((a, b) => b.id - a.id)
  return (
    <ul className="mb-3 space-y-2 text-small">
      {newest.map((compaction) => (
        <Row key={compaction.id} compaction={compaction} />
      ))}
    </ul>
  )
}

function Row({ compaction }: { compaction: Compaction }) {
  const t = useT()
  const language = useLanguage()
  const { created_at: at, tokens_before: before, tokens_after: after, focus } = compaction
  return (
    <li>
      <div className="flex items-baseline justify-between gap-3 tabular-nums">
        <span>{t("compaction.saved", { before: tokens(language, before), after: tokens(language, after) })}</span>
        <span className="shrink-0 text-ink-3">{moment(language, at)}</span>
      </div>
      <p className="break-words text-ink-3">
        {triggerOf(t, compaction.trigger)} · {methodOf(t, compaction.method)}
        {focus && ` · ${t("compaction.focus", { focus })}`}
      </p>
    </li>
  )
}
