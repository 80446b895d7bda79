import type { SubmitEvent } from "react"

import { asProblem } from "../api/problem"
import { useT } from "../i18n"
import { modelsWords } from "../i18n/models"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Note } from "../ui/Note"
import { ConnectionFields } from "./ConnectionFields"
import { ModelsField } from "./ModelsField"
import { ServiceField } from "./ServiceField"
import { TrialField } from "./TrialField"
import { type FormProps, useSubscriptionForm } from "./useSubscriptionForm"

/** An account at a provider: where it is, its key, and which of its models can be chosen. */
export function SubscriptionForm({ onCancel, ...props }: FormProps & { onCancel: () => void }) {
  const t = useT()
  const say = useTable(modelsWords)
  const { shared, subscription } = props
  const form = useSubscriptionForm(props)
  const { draft, service, saving, trial, warned } = form
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    form.save()
  }
  const busy = saving.isPending || trial.isPending
  return (
    <form className="space-y-5" onSubmit={submit} noValidate autoComplete="off">
      {!subscription && <ServiceField shared={shared} value={service} onChange={form.choose} />}
      <ConnectionFields draft={draft} service={service} shared={shared} stored={subscription?.key_hint ?? ""} onChange={form.set} />
      <ModelsField form={form} />
      <TrialField form={form} />
      {saving.error && (
        <Note tone="danger">
          {[saving.error.message, ...asProblem(saving.error).faults].map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </Note>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button look="quiet" onClick={onCancel}>
          {t("common.cancel")}
        </Button>
        <Button type="submit" look="primary" aria-disabled={busy}>
          {say(saving.isPending ? "saving" : trial.isPending ? "testing" : warned ? "saveAnyway" : "save")}
        </Button>
      </div>
    </form>
  )
}
