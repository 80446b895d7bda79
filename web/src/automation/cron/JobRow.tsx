import { useMutation, useQueryClient } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"

import { deleteJob, type Job, pauseJob, resumeJob, runJob } from "../../api/cron"
import { type Language, useLanguage } from "../../i18n"
import { cronWords, type CronWord } from "../../i18n/cron"
import { trackWords, type TrackWord } from "../../i18n/servicetrack"
import { type Say, useTable } from "../../i18n/table"
import { cx } from "../../lib/cx"
import { randomId } from "../../lib/ids"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { JobRuns } from "./JobRuns"
import { jobsQuery, outcomeOf, timeIn } from "./queries"

const Confirm = lazy(() => import("../../ui/Confirm"))

interface Props {
  job: Job
  /** Missing: it cannot be changed here. */
  onEdit?: () => void
}

/** One job: how it stands, what became of its last run, and what can be done with it. */
export function JobRow({ job, onEdit }: Props) {
  const say = useTable(cronWords)
  const track = useTable(trackWords)
  const language = useLanguage()
  const [history, setHistory] = useState(false)
  const name = job.name ?? ""
  return (
    <li aria-label={name} className="space-y-2 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-48 flex-1">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium break-words">{name}</span>
            <span className={cx("text-small", job.trouble ? "text-danger" : job.state === "active" ? "text-accent" : "text-ink-3")}>{stateOf(say, language, job)}</span>
          </p>
          <p className="text-small break-words text-ink-3">{factsOf(say, track, language, job)}</p>
        </div>
        <Actions job={job} name={name} history={history} onHistory={() => setHistory(!history)} onEdit={onEdit} />
      </div>
      {history && <JobRuns job={job} />}
    </li>
  )
}

function stateOf(say: Say<CronWord>, language: Language, job: Job): string {
  if (job.trouble) return say(job.trouble)
  return say(job.state, { date: job.next_at ? timeIn(language, job.next_at, job.timezone ?? "UTC") : "" })
}

function factsOf(say: Say<CronWord>, track: Say<TrackWord>, language: Language, job: Job): string {
  const facts = [`${job.when} · ${job.timezone ?? ""}`]
  if (job.service) facts.push(job.held ? track("held") : track("ofService", { service: job.service }))
  if (job.heartbeat) facts.push(say("heartbeat", { agent: job.heartbeat }))
  facts.push(job.last ? say("last", { date: timeIn(language, job.last.scheduled_at, job.timezone ?? "UTC"), outcome: outcomeOf(say, job.last) }) : say("never"))
  if (job.passed) facts.push(say("passed", { count: job.passed }))
  return facts.join(" · ")
}

interface ActionsProps {
  job: Job
  name: string
  history: boolean
  onHistory: () => void
  onEdit?: () => void
}

function Actions({ job, name, history, onHistory, onEdit }: ActionsProps) {
  const say = useTable(cronWords)
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const again = { onSuccess: () => client.invalidateQueries({ queryKey: jobsQuery.queryKey }) }
  const running = useMutation({ mutationFn: () => runJob(job.id, randomId()), ...again })
  const turning = useMutation({ mutationFn: () => (job.state === "active" ? pauseJob(job.id) : resumeJob(job.id)), ...again })
  const removal = useMutation({ mutationFn: () => deleteJob(job.id), ...again })
  const problem = running.error ?? turning.error ?? removal.error
  const turn = job.state === "active" ? "pause" : "resume"
  return (
    <div className="flex flex-wrap gap-1">
      <Button aria-label={say("historyLabel", { name })} aria-expanded={history} onClick={onHistory}>
        {say("history")}
      </Button>
      {!job.heartbeat && (
        <>
          <Button look="quiet" aria-label={say("runLabel", { name })} disabled={running.isPending} onClick={() => running.mutate()}>
            {say("run")}
          </Button>
          {onEdit && (
            <Button look="quiet" aria-label={say("change", { name })} onClick={onEdit}>
              {say("edit")}
            </Button>
          )}
          <Button look="quiet" aria-label={say(`${turn}Label`, { name })} disabled={turning.isPending} onClick={() => turning.mutate()}>
            {say(turn)}
          </Button>
          <Button look="quiet" aria-label={say("removeLabel", { name })} disabled={removal.isPending} onClick={() => setAsking(true)}>
            {say("remove")}
          </Button>
        </>
      )}
      {problem && <Note tone="danger" className="w-full text-small">{problem.message}</Note>}
      {running.isSuccess && !problem && <p role="status" className="w-full text-small text-ink-2">{say("running", { name })}</p>}
      <Suspense>
        {asking && (
          <Confirm title={say("removeTitle", { name })} text={say("removeText")} action={say("remove")} onClose={() => setAsking(false)} onConfirm={() => removal.mutate()} />
        )}
      </Suspense>
    </div>
  )
}
