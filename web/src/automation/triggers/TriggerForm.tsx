import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type SubmitEvent, useState } from "react"

import { sessionsQuery } from "../../api/queries"
import { addTrigger, changeTrigger, type MadeTrigger, type Trigger, type TriggerDraft } from "../../api/triggers"
import { useTable } from "../../i18n/table"
import { triggerWords } from "../../i18n/triggers"
import { Area } from "../../ui/Area"
import { Button } from "../../ui/Button"
import { Choice } from "../../ui/Choice"
import { Field } from "../../ui/Field"
import { Note } from "../../ui/Note"
import { triggersQuery } from "./queries"

export const draftOf = ({ name, source, session, answer_in, template, one_shot, per_minute, off }: TriggerDraft): TriggerDraft => ({
  name, source, session, answer_in, template, one_shot, per_minute, off,
})

interface Props {
  /** Not there: a new one. */
  trigger?: Trigger
  onMade: (made: MadeTrigger) => void
  onDone: () => void
}

/** Who calls which conversation, and what the model is told. */
export function TriggerForm({ trigger, onMade, onDone }: Props) {
  const say = useTable(triggerWords)
  const client = useQueryClient()
  const { data: sessions } = useQuery(sessionsQuery(""))
  const [draft, setDraft] = useState<TriggerDraft>(() => (trigger ? draftOf(trigger) : { name: "", source: "generic" }))
  const [tried, setTried] = useState(false)
  const saving = useMutation({
    mutationFn: async () => {
      if (trigger) await changeTrigger(trigger.id, draft)
      else onMade(await addTrigger(draft))
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: triggersQuery.queryKey })
      onDone()
    },
  })
  const set = (change: Partial<TriggerDraft>) => setDraft({ ...draft, ...change })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setTried(true)
    if (draft.name.trim() !== "" && !saving.isPending) saving.mutate()
  }
  const own = trigger ? `hook:${trigger.id}` : ""
  const places = [{ value: own, text: say("own") }, ...(sessions ?? []).filter(({ key }) => key !== own).map(({ key, title }) => ({ value: key, text: title || key }))]
  return (
    <form className="space-y-4" onSubmit={submit} noValidate>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={say("name")} problem={tried && draft.name.trim() === "" ? say("needed") : undefined} value={draft.name} onChange={(event) => set({ name: event.target.value })} maxLength={60} />
        {!trigger && (
          <Choice
            label={say("source")}
            value={draft.source ?? "generic"}
            options={(["generic", "github", "gitlab"] as const).map((value) => ({ value, text: say(value) }))}
            onValue={(source) => set({ source: source as TriggerDraft["source"] })}
          />
        )}
        <Choice label={say("where")} value={draft.session ?? own} options={places} onValue={(session) => set({ session: session || undefined })} />
        <Field label={say("perMinute")} hint={say("perMinuteHint")} type="number" min={0} max={600} value={String(draft.per_minute ?? 0)} onChange={(event) => set({ per_minute: Number(event.target.value) })} />
      </div>
      <Area label={say("template")} hint={say("templateHint")} value={draft.template ?? ""} onValue={(template) => set({ template })} />
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={draft.one_shot ?? false} onChange={(event) => set({ one_shot: event.target.checked })} /> {say("oneShot")}
      </label>
      {saving.error && <Note tone="danger">{saving.error.message}</Note>}
      <div className="flex gap-2">
        <Button type="submit" look="primary" aria-disabled={saving.isPending}>
          {say(saving.isPending ? "saving" : "save")}
        </Button>
        <Button look="quiet" onClick={onDone}>{say("cancel")}</Button>
      </div>
    </form>
  )
}
