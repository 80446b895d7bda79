import { X } from "lucide-react"
import { useState } from "react"

import type { SubscribedModel } from "../api/models"
import { useLanguage } from "../i18n"
import { modelsWords } from "../i18n/models"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { IconButton } from "../ui/IconButton"
import type { ModelDraft } from "./draft"
import { factsOf } from "./facts"
import { ModelDetails } from "./ModelDetails"
import { isUnlisted } from "./provider-models"

interface Props {
  models: ModelDraft[]
  offered: SubscribedModel[]
  onChange: (model: ModelDraft) => void
  onRemove: (id: string) => void
}

/** The models of a subscription that conversations can choose. */
export function ChosenModels({ models, offered, onChange, onRemove }: Props) {
  const say = useTable(modelsWords)
  return (
    <ul aria-label={say("chosen")} className="divide-y divide-line">
      {models.map((model) => (
        <Row key={model.id} model={model} unlisted={isUnlisted(offered, model.id)} onChange={onChange} onRemove={() => onRemove(model.id)} />
      ))}
    </ul>
  )
}

interface RowProps {
  model: ModelDraft
  /** The provider told what it offers, and this one is not there. */
  unlisted: boolean
  onChange: (model: ModelDraft) => void
  onRemove: () => void
}

function Row({ model, unlisted, onChange, onRemove }: RowProps) {
  const say = useTable(modelsWords)
  const language = useLanguage()
  const [open, setOpen] = useState(false)
  const name = model.id
  const facts = [model.disabled && say("modelOff"), model.names, ...factsOf(say, language, model), unlisted && say("unlisted")].filter(Boolean)
  return (
    <li className="space-y-3 py-2">
      <div className="flex items-center gap-1">
        <span className="min-w-0 flex-1">
          <span className="block break-all">{name}</span>
          <span className="block text-small break-words text-ink-3">{facts.join(" · ")}</span>
        </span>
        <Button look="quiet" aria-expanded={open} aria-label={say("detailsLabel", { name })} onClick={() => setOpen(!open)}>
          {say("details")}
        </Button>
        <IconButton label={say("leaveOut", { name })} onClick={onRemove}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      {open && <ModelDetails model={model} onChange={(change) => onChange({ ...model, ...change })} />}
    </li>
  )
}
