import type { UsageRow } from "../api/types"
import { type Key, useT } from "../i18n"
import { cx } from "../lib/cx"

const parts: { name: Extract<Key, "usage.fresh" | "usage.cached" | "usage.output">; look: string; of: (row: UsageRow) => number }[] = [
  { name: "usage.fresh", look: "bg-part-1", of: (row) => row.prompt_tokens - row.cached_tokens },
  { name: "usage.cached", look: "bg-part-5", of: (row) => row.cached_tokens },
  { name: "usage.output", look: "bg-part-3", of: (row) => row.completion_tokens },
]

/** The tokens of a row as a bar; `most` is what a bar of full length stands for. */
export function UsageBar({ row, most }: { row: UsageRow; most: number }) {
  return (
    <div aria-hidden className="mt-1 flex h-2 overflow-hidden rounded-full bg-hover">
      {parts.map(({ name, look, of }) => (
        <span key={name} className={look} style={{ width: `${(100 * of(row)) / most}%` }} />
      ))}
    </div>
  )
}

export function UsageLegend() {
  const t = useT()
  return (
    <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-small text-ink-2">
      {parts.map(({ name, look }) => (
        <li key={name} className="flex items-center gap-2">
          <span aria-hidden className={cx("size-2.5 rounded-sm", look)} />
          {t(name)}
        </li>
      ))}
    </ul>
  )
}
