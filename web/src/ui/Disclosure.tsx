import { ChevronRight } from "lucide-react"
import { type ReactNode, useId, useState } from "react"

import { cx } from "../lib/cx"

/** A line that opens to what is behind it, which is drawn only then. */
export function Disclosure({ head, className, children }: { head: () => ReactNode; className?: string; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <div className={className}>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        className="flex min-h-9 w-full items-center gap-2 rounded-md px-2 py-1 text-left text-small transition-colors hover:bg-hover"
      >
        <ChevronRight size={15} aria-hidden className={cx("shrink-0 text-ink-3 transition-transform", open && "rotate-90")} />
        {head()}
      </button>
      {open && (
        <div id={id} className="pt-1 pb-3 pl-8">
          {children}
        </div>
      )}
    </div>
  )
}
