import { useCallback, useState } from "react"

import { modelsWords } from "../i18n/models"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Field } from "../ui/Field"
import { Note } from "../ui/Note"
import { ChosenModels } from "./ChosenModels"
import { withoutSubmit } from "./enter-key"
import { OfferedModels } from "./OfferedModels"
import { withModel, withoutModel } from "./provider-models"
import type { SubscriptionFormState } from "./useSubscriptionForm"

/** Which models of a provider can be chosen: from its own list, or by name. */
export function ModelsField({ form: { draft, offered, asking, ask, setModels, noModels } }: { form: SubscriptionFormState }) {
  const say = useTable(modelsWords)
  const toggle = useCallback((id: string, on: boolean) => setModels((before) => (on ? withModel(before, id, offered) : withoutModel(before, id))), [setModels, offered])
  const problem = asking.error?.message ?? asking.data?.problem
  return (
    <section aria-label={say("models")} className="space-y-3">
      <h4 className="font-medium">{say("models")}</h4>
      <Button aria-disabled={asking.isPending} onClick={ask}>
        {say(asking.isPending ? "asking" : "ask")}
      </Button>
      {problem && !asking.isPending && <Note tone="danger">{problem}</Note>}
      {offered.length > 0 && <OfferedModels offered={offered} chosen={draft.models} onToggle={toggle} />}
      <NewModel onAdd={(id) => toggle(id, true)} />
      {draft.models.length > 0 && (
        <>
          <h5 className="text-small text-ink-3">{say("chosen")}</h5>
          <ChosenModels
            models={draft.models}
            offered={offered}
            onChange={(changed) => setModels((before) => before.map((model) => (model.id === changed.id ? changed : model)))}
            onRemove={(id) => toggle(id, false)}
          />
        </>
      )}
      {noModels && <Note tone="danger">{say("noneChosen")}</Note>}
    </section>
  )
}

/** A model by its name. It is part of a form, so it is none itself. */
function NewModel({ onAdd }: { onAdd: (id: string) => void }) {
  const say = useTable(modelsWords)
  const [id, setId] = useState("")
  const add = () => {
    onAdd(id)
    setId("")
  }
  return (
    <div className="flex items-start gap-2">
      <Field
        className="min-w-0 flex-1"
        label={say("byName")}
        hint={say("byNameHint")}
        value={id}
        onChange={(event) => setId(event.target.value)}
        onKeyDown={withoutSubmit(add)}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        maxLength={128}
      />
      <Button className="mt-6.5 h-10" onClick={add}>
        {say("addModel")}
      </Button>
    </div>
  )
}
