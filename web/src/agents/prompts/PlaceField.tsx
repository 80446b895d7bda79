import { useId } from "react"

import { promptWords } from "../../i18n/prompts"
import { useTable } from "../../i18n/table"

/** Whether a system prompt stands in the place of the installation's text or behind it. */
export function PlaceField({ beside, onChange }: { beside: boolean; onChange: (beside: boolean) => void }) {
  const say = useTable(promptWords)
  const name = useId()
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{say("place")}</legend>
      {([false, true] as const).map((value) => (
        <label key={String(value)} className="flex items-center gap-2 py-0.5 text-ink-2">
          <input type="radio" name={name} checked={beside === value} onChange={() => onChange(value)} className="size-4 shrink-0 accent-(--accent)" />
          {say(value ? "beside" : "instead")}
        </label>
      ))}
    </fieldset>
  )
}
