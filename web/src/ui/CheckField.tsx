interface Props {
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
}

/** A labelled yes or no. */
export function CheckField({ label, checked, onChange }: Props) {
  return (
    <label className="flex items-center gap-2 text-small text-ink-2">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} className="size-4 shrink-0 accent-(--accent)" />
      {label}
    </label>
  )
}
