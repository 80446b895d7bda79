import { Info, TriangleAlert } from "lucide-react"

import { cx } from "../../lib/cx"
import { LazyMarkdown } from "../../markdown/LazyMarkdown"

/** The product speaks: a turn that was stopped, failed or lost, a limit that was reached. `grave` ones stand out. */
export function Notice({ text, grave }: { text: string; grave: boolean }) {
  const plain = text.replace(/^(⚠️|⚠)\s*/u, "")
  const warns = grave || plain !== text
  const Icon = warns ? TriangleAlert : Info
  return (
    <div className={cx("flex gap-3 rounded-md px-3.5 py-2.5", warns ? "bg-warn-soft text-warn" : "bg-sunken text-ink-3")}>
      <Icon size={16} aria-hidden className="mt-0.5 shrink-0" />
      <div className="notice min-w-0 flex-1 text-ink">
        <LazyMarkdown text={plain} live={false} />
      </div>
    </div>
  )
}
