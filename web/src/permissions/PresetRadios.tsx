import { type ReactNode, useId } from "react"

import { type Preset, presets } from "../api/permissions"
import { permissionWords } from "../i18n/permissions"
import { useTable } from "../i18n/table"
import { usePressed } from "../ui/usePressed"

interface Props {
  legend: string
  /** The title of a choice before the presets, which is to have none. */
  none?: string
  /** The one that is marked; undefined: none is. */
  chosen?: Preset | ""
  onChoose: (preset: Preset | "") => void
  /** What is said above them. */
  above?: ReactNode
  /** What is said below them. */
  children: ReactNode
}

/** The presets to choose one of, each with what it means. */
export function PresetRadios({ legend, none, chosen, onChoose, above, children }: Props) {
  const say = useTable(permissionWords)
  const name = useId()
  const [marked, press] = usePressed(chosen, onChoose)
  const first = none === undefined ? [] : [{ value: "" as const, title: none, text: "" }]
  const options = [...first, ...presets.map((preset) => ({ value: preset, title: say(preset), text: say(`${preset}Text`) }))]
  return (
    <fieldset>
      <legend className="mb-2 text-small text-ink-3">{legend}</legend>
      {above}
      {options.map(({ value, title, text }) => (
        <label key={value} className="flex cursor-pointer gap-2.5 rounded-md py-1">
          <input type="radio" name={name} checked={marked === value} onChange={() => press(value)} className="mt-1.5 size-3.5 shrink-0 accent-accent" />
          <span>
            {title}
            {text && <span className="block text-small text-ink-3">{text}</span>}
          </span>
        </label>
      ))}
      {children}
    </fieldset>
  )
}
