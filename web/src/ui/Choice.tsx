import { useId } from "react"

interface Props {
  label: string
  value: string
  options: { value: string; text: string }[]
  onValue: (value: string) => void
}

/** A labelled choice of one. */
export function Choice({ label, value, options, onValue }: Props) {
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
