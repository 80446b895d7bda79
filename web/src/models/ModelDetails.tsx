import { useT } from "../i18n"
import { modelsWords } from "../i18n/models"
import { useTable } from "../i18n/table"
import { CheckField } from "../ui/CheckField"
import { Field } from "../ui/Field"
import { Select } from "../ui/Select"
import { type ModelDraft, thinkLevels } from "./draft"
import { withoutSubmit } from "./enter-key"

interface Props {
  model: ModelDraft
  onChange: (change: Partial<ModelDraft>) => void
}

const visions = ["asKnown", "yes", "no"] as const
const sees: Record<(typeof visions)[number], boolean | undefined> = { asKnown: undefined, yes: true, no: false }

/** What is known of a model, for those who know it better than the server does. */
export function ModelDetails({ model, onChange }: Props) {
  const t = useT()
  const say = useTable(modelsWords)
  return (
    <div role="group" aria-label={say("detailsLabel", { name: model.id })} className="space-y-4 rounded-md border border-line p-3">
      <Field
        label={say("names")}
        hint={say("namesHint")}
        value={model.names}
        onChange={(event) => onChange({ names: event.target.value })}
        onKeyDown={withoutSubmit()}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
      />
      <div className="grid gap-4 md:grid-cols-2">
        <NumberField label={say("maxContext")} empty={say("asKnown")} step={1} value={model.context} onChange={(context) => onChange({ context })} />
        <NumberField label={say("maxOutput")} empty={say("asKnown")} step={1} value={model.output} onChange={(output) => onChange({ output })} />
        <Select
          label={say("vision")}
          value={visions.find((vision) => sees[vision] === model.vision) ?? "asKnown"}
          options={[...visions]}
          say={say}
          onChange={(vision) => onChange({ vision: sees[vision] })}
        />
        <Select
          label={say("think")}
          value={model.think}
          options={thinkLevels}
          say={(level) => (level === "" ? say("asItDoes") : t(`think.${level}`))}
          onChange={(think) => onChange({ think })}
        />
      </div>
      <fieldset>
        <legend className="mb-1.5 text-small text-ink-3">{say("prices")}</legend>
        <div className="grid grid-cols-3 items-end gap-3">
          <NumberField label={say("priceInput")} value={model.price.input} onChange={(input) => onChange({ price: { ...model.price, input } })} />
          <NumberField label={say("priceCached")} value={model.price.cached} onChange={(cached) => onChange({ price: { ...model.price, cached } })} />
          <NumberField label={say("priceOutput")} value={model.price.output} onChange={(output) => onChange({ price: { ...model.price, output } })} />
        </div>
      </fieldset>
      <CheckField label={say("canChoose")} checked={!model.disabled} onChange={(on) => onChange({ disabled: !on })} />
    </div>
  )
}

interface NumberProps {
  label: string
  /** Said where there is none. */
  empty?: string
  /** What it counts in; without it any fraction. */
  step?: number
  value: number | undefined
  onChange: (value: number | undefined) => void
}

/** A number that may be missing. */
function NumberField({ label, empty, step, value, onChange }: NumberProps) {
  return (
    <Field
      label={label}
      type="number"
      min={0}
      step={step ?? "any"}
      placeholder={empty}
      value={value ?? ""}
      onChange={({ target }) => onChange(Number.isNaN(target.valueAsNumber) ? undefined : target.valueAsNumber)}
      onKeyDown={withoutSubmit()}
    />
  )
}
