import type { ReactNode } from "react"

import { cx } from "../lib/cx"

/** A sentence that something went wrong (read aloud at once) or is worth knowing. */
export function Note({ tone, children, className }: { tone: "danger" | "warn" | "plain"; children: ReactNode; className?: string }) {
  const looks = { danger: "bg-danger-soft text-danger", warn: "bg-warn-soft text-warn", plain: "bg-sunken text-ink-2" }
  return (
    <div role={tone === "danger" ? "alert" : "status"} className={cx("rounded-md px-3 py-2 break-words", looks[tone], className)}>
      {children}
    </div>
  )
}
