import { useQuery } from "@tanstack/react-query"

import { useLanguage, useT } from "../../i18n"
import { duration, fullMoment } from "../../i18n/format"
import { trackWords } from "../../i18n/servicetrack"
import { useTable } from "../../i18n/table"
import { Note } from "../../ui/Note"
import { runQuery } from "./queries"

/** What a run did: each time that its model was asked, each tool, what was sent, and what was said. */
export default function RunSteps({ job, run, date }: { job: string; run: number; date: string }) {
  const t = useT()
  const say = useTable(trackWords)
  const language = useLanguage()
  const { data, error } = useQuery(runQuery(job, run))
  if (error && !data) return <Note tone="danger">{error.message}</Note>
  if (!data) return <p className="text-ink-3">{t("app.loading")}</p>
  return (
    <div className="mt-1 space-y-2 border-l-2 border-line-strong pl-3">
      {data.steps.length === 0 && <p className="text-ink-2">{say("noSteps")}</p>}
      <ol aria-label={say("stepsLabel", { date })}>
        {data.steps.map(({ kind, name, started_at, finished_at, failed, note }, n) => (
          <li key={n} className="break-words">
            <time dateTime={started_at} title={fullMoment(language, started_at)}>{say(kind, { name })}</time>
            {finished_at && ` · ${duration(t, Date.parse(finished_at) - Date.parse(started_at))}`}
            {failed && <span className="text-danger"> · {say("failed")}{note && ` (${note})`}</span>}
          </li>
        ))}
      </ol>
      {data.output && (
        <p className="break-words whitespace-pre-wrap">
          <span className="block text-ink-3">{say("output")}</span>
          {data.output}
        </p>
      )}
    </div>
  )
}
