import type { PoolTool } from "../../api/roles"
import { roleWords } from "../../i18n/roles"
import { useTable } from "../../i18n/table"
import { CheckField } from "../../ui/CheckField"
import { ALL_TOOLS } from "./draft"

interface Props {
  pool: PoolTool[]
  value: string[]
  onValue: (tools: string[]) => void
}

/** The tools that a role has: all, or those that are checked. */
export function ToolsField({ pool, value, onValue }: Props) {
  const say = useTable(roleWords)
  const all = value.length === 1 && value[0] === ALL_TOOLS
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{say("tools")}</legend>
      <CheckField label={say("allTools")} checked={all} onChange={(checked) => onValue(checked ? [ALL_TOOLS] : [])} />
      {!all && (
        <div className="mt-2 grid gap-x-4 gap-y-2 md:grid-cols-2">
          {pool.map(({ name, description }) => (
            <Tool key={name} name={name} description={description} checked={value.includes(name)} onChange={(checked) => onValue(checked ? [...value, name] : value.filter((other) => other !== name))} />
          ))}
        </div>
      )}
    </fieldset>
  )
}

function Tool({ name, description, checked, onChange }: PoolTool & { checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <label className="flex min-w-0 items-start gap-2 text-small">
      <input type="checkbox" aria-label={name} checked={checked} onChange={(event) => onChange(event.target.checked)} className="mt-0.5 size-4 shrink-0 accent-(--accent)" />
      <span className="min-w-0">
        <span className="font-mono break-words">{name}</span>
        <span className="line-clamp-2 text-ink-3">{description}</span>
      </span>
    </label>
  )
}
