import { useId } from "react"

interface Props<T extends string | number> {
  label: string
  value: T
  options: T[]
  say: (option: T) => string
  onChange: (option: T) => void
}

/** A labelled choice of one of a few. */
export function Select<T extends string | number>({ label, value, options, say, onChange }: Props<T>) {
  const id = useId()
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1.5 block font-medium">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={({ target }) => onChange(options[target.selectedIndex] ?? value)}
        className="h-10 max-w-full rounded-md border border-line-strong bg-canvas px-2 text-body"
      >
        {options.map((option) => (
          <option key={option} value={option}>
            {say(option)}
          </option>
        ))}
      </select>
    </div>
  )
}
