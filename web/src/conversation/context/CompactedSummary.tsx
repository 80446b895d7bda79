import { useQuery } from "@tanstack/react-query"

import { readContext } from "../../api/context"
import type { Message } from "../../api/types"
import { useT } from "../../i18n"
import { LazyMarkdown } from "../../markdown/LazyMarkdown"
import { useConversationContext } from "../shared/context"
import { toldBy } from "./compaction"
import { contextKey } from "./queries"
import { methodOf, triggerOf } from "./words"

/** What a compaction kept: why it was made, by what, and the summary that the model reads instead of what was said. */
export default function CompactedSummary({ message }: { message: Message }) {
  const t = useT()
  const { sessionKey } = useConversationContext()
  const { data, error } = useQuery({ queryKey: contextKey(sessionKey, "panel"), queryFn: () => readContext(sessionKey) })
  if (error) return <p className="text-small text-danger">{error.message}</p>
  if (!data) return <p className="text-small text-ink-3">{t("app.loading")}</p>
  const compaction = toldBy(data.compactions ?? [], message)
  if (!compaction) return <p className="text-small text-ink-2">{t("compaction.gone")}</p>
  const facts = [triggerOf(t, compaction.trigger), methodOf(t, compaction.method), compaction.focus && t("compaction.focus", { focus: compaction.focus })]
  return (
    <div className="space-y-2">
      <p className="text-small text-ink-2">{facts.filter(Boolean).join(" · ")}</p>
      {compaction.summary ? (
        <div tabIndex={0} role="region" aria-label={t("compaction.summary")} className="notice max-h-96 overflow-y-auto -outline-offset-2">
          <LazyMarkdown text={compaction.summary} live={false} />
        </div>
      ) : null}
    </div>
  )
}
