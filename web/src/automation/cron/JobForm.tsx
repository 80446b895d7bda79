import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type SubmitEvent, useDeferredValue, useState } from "react"

import { addJob, changeJob, type Job, type JobPlan, type Jobs } from "../../api/cron"
import { sessionsQuery } from "../../api/queries"
import { useLanguage } from "../../i18n"
import { cronWords } from "../../i18n/cron"
import { useTable } from "../../i18n/table"
import { randomId } from "../../lib/ids"
import { Area } from "../../ui/Area"
import { Button } from "../../ui/Button"
import { Choice } from "../../ui/Choice"
import { Field } from "../../ui/Field"
import { Note } from "../../ui/Note"
import { jobsQuery, previewQuery, timeIn } from "./queries"

const fresh = (timezone: string): JobPlan => ({ name: "", message: "", when: "", timezone, missed: "once" })

const planOf = ({ name, message, when, timezone, target, deliver, model, think, missed, max_age_s, jitter_s, max_runs, permits }: Job): JobPlan => ({
  name, message, when, timezone, target, deliver, model, think, missed, max_age_s, jitter_s, max_runs, permits,
})

interface Props {
  /** Not there: a new one. */
  job?: Job
  /** That of jobs which name none, and who says so. */
  zone: { name: string; from: Jobs["timezone_from"] }
  onDone: () => void
}

/** What is to be done, when and where. The next times are shown while one types. */
export function JobForm({ job, zone, onDone }: Props) {
  const say = useTable(cronWords)
  const client = useQueryClient()
  const [plan, setPlan] = useState(() => (job ? planOf(job) : fresh(zone.name)))
  const [once] = useState(randomId)
  const [tried, setTried] = useState(false)
  const saving = useMutation({
    mutationFn: () => (job ? changeJob(job, plan) : addJob(plan, once)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: jobsQuery.queryKey })
      onDone()
    },
  })
  const set = (change: Partial<JobPlan>) => setPlan({ ...plan, ...change })
  const needed = (value: string) => (tried && value.trim() === "" ? say("needed") : undefined)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setTried(true)
    if (plan.message.trim() !== "" && plan.when.trim() !== "" && !saving.isPending) saving.mutate()
  }
  return (
    <form className="space-y-4" onSubmit={submit} noValidate>
      <Area label={say("message")} hint={say("messageHint")} problem={needed(plan.message)} value={plan.message} onValue={(message) => set({ message })} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={say("when")} hint={say("whenHint")} problem={needed(plan.when)} value={plan.when} onChange={(event) => set({ when: event.target.value })} autoCapitalize="none" spellCheck={false} maxLength={200} />
        <Field label={say("zone")} hint={say(`zone_${zone.from}`, { zone: zone.name })} value={plan.timezone ?? ""} onChange={(event) => set({ timezone: event.target.value })} autoCapitalize="none" spellCheck={false} maxLength={64} />
      </div>
      <NextTimes when={plan.when} zone={plan.timezone ?? ""} />
      <Where plan={plan} onChange={set} />
      <More plan={plan} onChange={set} />
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

/** The next five times, or why there are none. */
function NextTimes({ when, zone }: { when: string; zone: string }) {
  const say = useTable(cronWords)
  const language = useLanguage()
  const { data, error } = useQuery(previewQuery(useDeferredValue(when), useDeferredValue(zone)))
  if (when.trim() === "") return null
  return (
    <div role="status" className="rounded-md bg-sunken px-3 py-2 text-small">
      {error ? (
        <span className="text-danger">{error.message}</span>
      ) : (
        <>
          <span className="text-ink-3">{say("next")}</span>
          <ul>{data?.times.map((time) => <li key={time}>{timeIn(language, time, data.timezone)}</li>)}</ul>
        </>
      )}
    </div>
  )
}

interface PartProps {
  plan: JobPlan
  onChange: (change: Partial<JobPlan>) => void
}

/** Which conversation is told, and where its answers go beside. */
function Where({ plan, onChange }: PartProps) {
  const say = useTable(cronWords)
  const { data = [] } = useQuery(sessionsQuery(""))
  const options = data.filter(({ chat_type }) => chat_type !== "cron").map(({ key, title }) => ({ value: key, text: title || key }))
  const target = plan.target ?? ""
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Choice label={say("where")} value={target} options={[{ value: "", text: say("own") }, ...options]} onValue={(key) => onChange({ target: key, ...(key === "" ? {} : { deliver: "", model: "" }) })} />
      {target === "" && (
        <Choice label={say("deliver")} value={plan.deliver ?? ""} options={[{ value: "", text: say("nowhere") }, ...options]} onValue={(deliver) => onChange({ deliver })} />
      )}
    </div>
  )
}

const missed = [
  { value: "once", word: "missedOnce" },
  { value: "skip", word: "missedSkip" },
  { value: "all", word: "missedAll" },
] as const

function More({ plan, onChange }: PartProps) {
  const say = useTable(cronWords)
  const number = (text: string) => Math.max(0, Math.round(Number(text)) || 0)
  return (
    <details>
      <summary className="cursor-pointer text-ink-2">{say("more")}</summary>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
        <Field label={say("name")} hint={say("nameHint")} value={plan.name ?? ""} onChange={(event) => onChange({ name: event.target.value })} maxLength={80} />
        <Choice
          label={say("missed")}
          value={plan.missed ?? "once"}
          options={missed.map(({ value, word }) => ({ value, text: say(word) }))}
          onValue={(value) => onChange({ missed: missed.find((known) => known.value === value)?.value })}
        />
        <Field label={say("maxRuns")} hint={say("maxRunsHint")} inputMode="numeric" value={String(plan.max_runs ?? 0)} onChange={(event) => onChange({ max_runs: number(event.target.value) })} />
        <Field label={say("jitter")} hint={say("jitterHint")} inputMode="numeric" value={String(plan.jitter_s ?? 0)} onChange={(event) => onChange({ jitter_s: number(event.target.value) })} />
        {(plan.target ?? "") === "" && <Field label={say("model")} hint={say("modelHint")} value={plan.model ?? ""} onChange={(event) => onChange({ model: event.target.value })} autoCapitalize="none" spellCheck={false} />}
      </div>
    </details>
  )
}
