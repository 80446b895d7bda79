import { CircleCheck } from "lucide-react"

import type { Tried } from "../api/models"
import { useT } from "../i18n"
import { duration } from "../i18n/format"
import { modelsWords } from "../i18n/models"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Note } from "../ui/Note"
import { Select } from "../ui/Select"
import type { SubscriptionFormState } from "./useSubscriptionForm"

/** One short call of a model, and in words what came back. */
export function TrialField({ form: { draft, tested, trial, pick, test } }: { form: SubscriptionFormState }) {
  const say = useTable(modelsWords)
  if (tested === undefined) return null
  return (
    <section aria-label={say("test")} className="space-y-3">
      <div className="flex flex-wrap items-end gap-2">
        {draft.models.length > 1 && <Select label={say("toTest")} value={tested} options={draft.models.map(({ id }) => id)} say={(id) => id} onChange={pick} />}
        <Button className="h-10" aria-disabled={trial.isPending} onClick={test}>
          {say(trial.isPending ? "testing" : "test")}
        </Button>
      </div>
      {trial.error && <Note tone="danger">{say("unreached", { problem: trial.error.message })}</Note>}
      {trial.data && <Result tried={trial.data} />}
    </section>
  )
}

function Result({ tried: { model, passed, text, problem, ms } }: { tried: Tried }) {
  const t = useT()
  const say = useTable(modelsWords)
  if (!passed) return <Note tone="danger">{say("failed", { model, problem: problem ?? "" })}</Note>
  return (
    <Note tone="plain" className="flex items-start gap-2">
      <CircleCheck size={15} aria-hidden className="mt-0.5 shrink-0 text-accent" />
      <span className="min-w-0">{say(text ? "passed" : "passedSilent", { model, time: duration(t, ms), text: text ?? "" })}</span>
    </Note>
  )
}
