import { ChevronRight, FoldVertical } from "lucide-react"
import { lazy, Suspense, useId, useState } from "react"

import type { Message } from "../../api/types"
import { useT } from "../../i18n"
import { cx } from "../../lib/cx"

const CompactedSummary = lazy(() => import("../context/CompactedSummary"))

/** Where the beginning of the conversation was put into a summary: a quiet line that opens to what was kept. */
export function CompactionNote({ message }: { message: Message }) {
  const t = useT()
  const id = useId()
  const [open, setOpen] = useState(false)
  const words = message.content.trim().replace(/[.。]$/, "").replace(/: |：/, " · ")
  return (
    <div role="group" aria-label={t("compaction.label")}>
      <div className="flex items-center gap-3 text-small text-ink-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
          className="flex max-w-[85%] items-center gap-2 rounded-md px-2 py-1 text-left transition-colors hover:bg-hover hover:text-ink"
        >
          <FoldVertical size={14} aria-hidden className="shrink-0" />
          <span className="min-w-0 break-words tabular-nums">{words}</span>
          <ChevronRight size={14} aria-hidden className={cx("shrink-0 transition-transform", open && "rotate-90")} />
        </button>
      </div>
      {open && (
        <div id={id} className="mt-2 rounded-md bg-sunken px-4 py-3">
          <Suspense>
            <CompactedSummary message={message} />
          </Suspense>
        </div>
      )}
    </div>
  )
}
