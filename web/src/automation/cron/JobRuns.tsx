import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"

import type { Job, JobRun } from "../../api/cron"
import { useLanguage } from "../../i18n"
import { cronWords } from "../../i18n/cron"
import { trackWords } from "../../i18n/servicetrack"
import { useTable } from "../../i18n/table"
import { Pending } from "../../ui/Pending"
import { outcomeOf, runsQuery, timeIn } from "./queries"

const RunSteps = lazy(() => import("./RunSteps"))

/** The newest runs of a job, with what was said and the way to the conversation. */
export function JobRuns({ job }: { job: Job }) {
  const say = useTable(cronWords)
  const { data, error } = useQuery(runsQuery(job.id))
  if (!data) return <Pending error={error} />
  if (data.length === 0) return <p className="text-small text-ink-2">{say("noRuns")}</p>
  return (
    <ul aria-label={say("historyLabel", { name: job.name ?? "" })} className="space-y-1 rounded-md bg-sunken px-3 py-2 text-small">
      {data.map((run) => (
        <Run key={run.id} job={job.id} run={run} zone={job.timezone ?? "UTC"} />
      ))}
    </ul>
  )
}

function Run({ job, run, zone }: { job: string; run: JobRun; zone: string }) {
  const say = useTable(cronWords)
  const track = useTable(trackWords)
  const [steps, setSteps] = useState(false)
  const language = useLanguage()
  const reason = run.reason === "missed" ? say("runMissed") : run.reason === "manual" ? say("runManual") : ""
  const facts = [timeIn(language, run.scheduled_at, zone), reason, outcomeOf(say, run)].filter((fact) => fact !== "")
  const there = run.outcome !== "gone" && run.outcome !== "skipped"
  return (
    <li className="break-words">
      {facts.join(" · ")}{" "}
      {there && (
        <Link to="/c/$key" params={{ key: run.session_key }} className="text-accent underline underline-offset-3">
          {say("open")}
        </Link>
      )}{" "}
      {there && (
        <button type="button" aria-expanded={steps} className="text-ink-2 underline underline-offset-3" onClick={() => setSteps(!steps)}>
          {track("steps")}
        </button>
      )}
      {run.said && <span className="block text-ink-2">{run.said}</span>}
      <Suspense>{steps && <RunSteps job={job} run={run.id} date={timeIn(language, run.scheduled_at, zone)} />}</Suspense>
    </li>
  )
}
