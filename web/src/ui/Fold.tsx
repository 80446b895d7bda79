import { ChevronRight, type LucideIcon } from "lucide-react"
import { type ReactNode, useId, useState } from "react"

import { cx } from "../lib/cx"

interface Props {
  icon: LucideIcon
  name: string
  /** One line that says what it is about. */
  summary?: string
  summaryIsCode?: boolean
  /** State and duration, at the end of the line. */
  trailing?: ReactNode
  /** Drawn only while it is open. */
  children: () => ReactNode
}

/** A step of a turn: one line that opens to everything behind it. */
export function Fold({ icon: Icon, name, summary, summaryIsCode, trailing, children }: Props) {
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        className="group -mx-2 flex min-h-8 w-[calc(100%+1rem)] items-center gap-2.5 rounded-md px-2 py-1 text-left text-small transition-colors hover:bg-hover"
      >
        <Icon size={16} aria-hidden className="shrink-0 text-ink-3" />
        <span className="shrink-0 font-medium text-ink-2">{name}</span>
        <span className={cx("min-w-0 flex-1 truncate text-ink-3", summaryIsCode && "font-mono text-[0.75rem]")}>{summary}</span>
        {trailing}
        <ChevronRight
          size={15}
          aria-hidden
          className={cx("shrink-0 text-ink-3 transition-transform", open && "rotate-90")}
        />
      </button>
      {open && (
        <div id={id} className="pt-1 pb-3 pl-6.5">
          {children()}
        </div>
      )}
    </div>
  )
}
