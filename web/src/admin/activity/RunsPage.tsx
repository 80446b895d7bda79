import { useQuery } from "@tanstack/react-query"
import { ExternalLink } from "lucide-react"

import { listRunQueries, type RunsLink } from "../../api/runs"
import { runsWords } from "../../i18n/runs"
import { useTable } from "../../i18n/table"
import { Pending } from "../../ui/Pending"
import { Section } from "../../ui/Section"

/** Prepared lists of runs in the Temporal UI. */
export default function RunsPage() {
  const say = useTable(runsWords)
  const { data, error } = useQuery({ queryKey: ["run-queries"], queryFn: listRunQueries })
  if (!data) return <Pending error={error} />
  if (data.length === 0) return <p className="text-ink-2">{say("none")}</p>
  const of = (kind: RunsLink["kind"]) => data.filter((link) => link.kind === kind)
  return (
    <div className="space-y-6">
      <p className="text-ink-2">{say("lead")}</p>
      <Section title={say("lists")}>
        <List links={data.filter(({ kind }) => kind !== "person" && kind !== "model")} name={({ kind }) => (kind === "person" || kind === "model" ? "" : say(kind))} />
      </Section>
      <Section title={say("people")}>
        {of("person").length > 0 ? <List links={of("person")} name={({ name }) => name ?? ""} /> : <p className="text-small text-ink-2">{say("nobody")}</p>}
      </Section>
      {of("model").length > 0 && (
        <Section title={say("models")}>
          <List links={of("model")} name={({ name }) => name ?? ""} />
        </Section>
      )}
    </div>
  )
}

function List({ links, name }: { links: RunsLink[]; name: (link: RunsLink) => string }) {
  return (
    <ul className="space-y-2">
      {links.map((link) => (
        <li key={link.query} className="min-w-0">
          <a href={link.url} target="_blank" rel="noreferrer" className="inline-flex items-center gap-1.5 rounded-sm text-accent underline underline-offset-3">
            {name(link)} <ExternalLink size={13} aria-hidden />
          </a>
          <code className="mt-0.5 block font-mono text-[0.75rem] break-words text-ink-3">{link.query}</code>
        </li>
      ))}
    </ul>
  )
}
