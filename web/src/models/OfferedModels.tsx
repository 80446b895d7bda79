import { memo, useState } from "react"

import type { SubscribedModel } from "../api/models"
import { useLanguage } from "../i18n"
import { modelsWords } from "../i18n/models"
import { useTable } from "../i18n/table"
import { Field } from "../ui/Field"
import type { ModelDraft } from "./draft"
import { withoutSubmit } from "./enter-key"
import { factsOf } from "./facts"
import { isChosen, matching } from "./provider-models"

interface Props {
  offered: SubscribedModel[]
  chosen: ModelDraft[]
  onToggle: (id: string, on: boolean) => void
}

/** What a provider offers, some hundred models at times, to be chosen from. It is drawn anew only where these change. */
export const OfferedModels = memo(function OfferedModels({ offered, chosen, onToggle }: Props) {
  const say = useTable(modelsWords)
  const [text, setText] = useState("")
  const shown = matching(offered, text)
  return (
    <div className="rounded-md border border-line">
      <div className="flex items-end gap-3 border-b border-line p-3">
        <Field
          className="min-w-0 flex-1"
          label={say("filter")}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={withoutSubmit()}
          type="search"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
        />
        <p role="status" className="pb-2.5 text-small text-ink-3 tabular-nums">
          {say("offeredCount", { shown: shown.length, count: offered.length })}
        </p>
      </div>
      {shown.length === 0 ? (
        <p className="px-3 py-2 text-ink-2">{say("noMatch")}</p>
      ) : (
        <ul aria-label={say("offered")} className="max-h-72 divide-y divide-line overflow-y-auto px-3">
          {shown.map((model) => (
            <Row key={model.id} model={model} chosen={isChosen(chosen, model.id)} onToggle={onToggle} />
          ))}
        </ul>
      )}
    </div>
  )
})

interface RowProps {
  model: SubscribedModel
  chosen: boolean
  onToggle: Props["onToggle"]
}

const Row = memo(function Row({ model, chosen, onToggle }: RowProps) {
  const say = useTable(modelsWords)
  const language = useLanguage()
  const { id, max_context, vision, price } = model
  return (
    <li>
      <label className="flex cursor-pointer items-start gap-2.5 py-2">
        <input type="checkbox" checked={chosen} onChange={(event) => onToggle(id, event.target.checked)} className="mt-0.5 size-4 shrink-0 accent-(--accent)" />
        <span className="min-w-0">
          <span className="block break-all">{id}</span>
          <span className="block text-small text-ink-3">{factsOf(say, language, { context: max_context, vision, price }).join(" · ")}</span>
        </span>
      </label>
    </li>
  )
})
