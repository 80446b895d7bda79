import { useId } from "react"

import { cx } from "../lib/cx"

interface Props {
  label: string
  hint: string
  problem?: string
  value: string
  onValue: (value: string) => void
  /** Lines that are shown; 4. */
  rows?: number
  /** Characters that it takes; 20,000. */
  limit?: number
}

/** A labelled text of several lines. */
export function Area({ label, hint, problem, value, onValue, rows = 4, limit = 20_000 }: Props) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block font-medium">{label}</label>
      <textarea
        id={id}
        rows={rows}
        value={value}
        maxLength={limit}
        onChange={(event) => onValue(event.target.value)}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={`${id}-note`}
        className={cx("w-full rounded-md border bg-canvas px-3 py-2 text-body", problem ? "border-danger" : "border-line-strong")}
      />
      <p id={`${id}-note`} className={cx("mt-1.5 text-small", problem ? "text-danger" : "text-ink-3")}>{problem ?? hint}</p>
    </div>
  )
}
