import { useQuery } from "@tanstack/react-query"

import { type Undelivered as Missed, undeliveredQuery } from "../api/undelivered"
import { useLanguage, useT } from "../i18n"
import { moment } from "../i18n/format"
import { useTable } from "../i18n/table"
import { undeliveredWords } from "../i18n/undelivered"
import { Note } from "../ui/Note"
import { Section } from "../ui/Section"
import { nameOf } from "./queries"

/** What did not arrive on a platform within the last seven days, may not have, or waits: where, and why, not what it said. */
export function Undelivered() {
  const say = useTable(undeliveredWords)
  const { data, error } = useQuery(undeliveredQuery)
  return (
    <Section title={say("title")}>
      {error && !data && <Note tone="danger">{error.message}</Note>}
      {data?.length === 0 && <p className="text-small text-ink-2">{say("none")}</p>}
      <ul aria-label={say("title")} className="divide-y divide-line">
        {data?.map((missed) => (
          <Row key={missed.delivery} missed={missed} />
        ))}
      </ul>
    </Section>
  )
}

function Row({ missed }: { missed: Missed }) {
  const t = useT()
  const language = useLanguage()
  const say = useTable(undeliveredWords)
  const { channel, account = "", user, kind, outcome, session, reason, written_at, ended_at = written_at } = missed
  return (
    <li className="space-y-0.5 py-2.5 text-small">
      <p className="flex flex-wrap gap-x-2">
        <span className="font-medium">{say(kind)}</span>
        <span className={outcome === "uncertain" || outcome === "waiting" ? "text-warn" : "text-danger"}>{say(outcome)}</span>
      </p>
      <p className="break-words text-ink-3">
        {nameOf(t, { channel, account })} · {user} · {moment(language, ended_at)} · <code className="font-mono break-all">{session}</code>
      </p>
      {reason && <p className="break-words text-ink-2">{reason}</p>}
    </li>
  )
}
