import { useQuery } from "@tanstack/react-query"
import { useState } from "react"

import { listTraceTargets, type TargetName, type TraceTarget } from "../../api/tracing"
import { useTable } from "../../i18n/table"
import { tracingWords } from "../../i18n/tracing"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { Pending } from "../../ui/Pending"
import { ReceivedRatings } from "./ReceivedRatings"
import { TargetForm } from "./TargetForm"

/** The collectors that traces are exported to, with a form for each. */
export default function TracingPage() {
  const say = useTable(tracingWords)
  const { data, error } = useQuery({ queryKey: ["trace targets"], queryFn: listTraceTargets, retry: false })
  const [open, setOpen] = useState<TargetName>()
  if (!data) return <Pending error={error} />
  return (
    <div className="space-y-6">
      <p className="text-ink-2">{say("lead")}</p>
      <ul className="divide-y divide-line">
        {data.map((target) => (
          <li key={target.name} aria-label={say(target.name)} className="space-y-2 py-3">
            <Row target={target} open={open === target.name} onEdit={() => setOpen(open === target.name ? undefined : target.name)} />
            {target.problem && <Note tone="danger">{say("problem", { problem: target.problem })}</Note>}
            {open === target.name && <TargetForm key={target.revision} target={target} onDone={() => setOpen(undefined)} />}
          </li>
        ))}
      </ul>
      <ReceivedRatings />
    </div>
  )
}

function Row({ target, open, onEdit }: { target: TraceTarget; open: boolean; onEdit: () => void }) {
  const say = useTable(tracingWords)
  const name = say(target.name)
  const state = target.source && !target.enabled ? "disabled" : (target.source ?? "nothing")
  const facts = [say(state), target.source && target.endpoint, target.key_hint, target.waiting > 0 && say("waiting", { count: target.waiting })]
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <span className="min-w-48 flex-1">
        <span className="block font-medium">{name}</span>
        <span className="block text-small text-ink-2">{say(target.name === "otlp" ? "otlpAbout" : "langfuseAbout")}</span>
        <span className="block text-small break-words text-ink-3">{facts.filter(Boolean).join(" · ")}</span>
      </span>
      <Button look="quiet" aria-label={say("editLabel", { name })} aria-expanded={open} onClick={onEdit}>
        {say("edit")}
      </Button>
    </div>
  )
}
