import { useId } from "react"

import { cx } from "../lib/cx"

interface AreaProps {
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
export function Area({ label, hint, problem, value, onValue, rows = 4, limit = 20_000 }: AreaProps) {
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

interface ChoiceProps {
  label: string
  value: string
  options: { value: string; text: string }[]
  onValue: (value: string) => void
}

/** A labelled choice of one. */
export function Choice({ label, value, options, onValue }: ChoiceProps) {
  const id = useId()
  const known = options.some((option) => option.value === value)
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1.5 block font-medium">{label}</label>
      <select id={id} value={value} onChange={(event) => onValue(event.target.value)} className="h-10 w-full rounded-md border border-line-strong bg-canvas px-3 text-body">
        {!known && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>{option.text}</option>
        ))}
      </select>
    </div>
  )
}
