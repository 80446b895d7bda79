import { Plus, X } from "lucide-react"

import { mcpWords } from "../../i18n/mcp"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Field, PasswordField } from "../../ui/Field"
import { IconButton } from "../../ui/IconButton"
import type { Value } from "./draft"

interface Props {
  title: string
  /** What the button says that adds one. */
  add: string
  values: Value[]
  onChange: (values: Value[]) => void
}

const common = { autoCapitalize: "none", spellCheck: false }

/** Names and secret values. What is stored is not shown: it stays where nothing is entered. */
export function SecretValues({ title, add, values, onChange }: Props) {
  const say = useTable(mcpWords)
  const change = (i: number, part: Partial<Value>) => onChange(values.map((value, j) => (i === j ? { ...value, ...part } : value)))
  return (
    <fieldset className="space-y-3">
      <legend className="mb-1.5 font-medium">{title}</legend>
      {values.map(({ name, value, stored }, i) => (
        <div key={i} className="flex items-end gap-2">
          <Field className="min-w-0 flex-1" label={say("valueName")} value={name} readOnly={stored} onChange={({ target }) => change(i, { name: target.value })} maxLength={128} autoComplete="off" {...common} />
          <PasswordField
            className="min-w-0 flex-[2]"
            label={name ? say("value", { name }) : say("unnamed")}
            placeholder={stored ? say("kept") : undefined}
            value={value}
            onChange={({ target }) => change(i, { value: target.value })}
            maxLength={8192}
            autoComplete="new-password"
            {...common}
          />
          <IconButton label={say("dropLabel", { name })} onClick={() => onChange(values.filter((_, j) => i !== j))}>
            <X size={16} aria-hidden />
          </IconButton>
        </div>
      ))}
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={() => onChange([...values, { name: "", value: "" }])}>
          <Plus size={15} aria-hidden /> {add}
        </Button>
        <span className="text-small text-ink-3">{say("valuesHint")}</span>
      </div>
    </fieldset>
  )
}
