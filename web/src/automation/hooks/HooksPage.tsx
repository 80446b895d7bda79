import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"

import { type DeferredCall, type Hook, type HookFault, listHooks } from "../../api/hooks"
import { useLanguage } from "../../i18n"
import { moment } from "../../i18n/format"
import { hookWords } from "../../i18n/hooks"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { Pending } from "../../ui/Pending"
import { useDecision } from "./useDecision"

/** Milliseconds between two looks while somebody looks. */
const LOOK = 3_000

/** What administrators see of hooks: calls that wait for one of them, what is wrong with the file, and who is asked when. */
export default function HooksPage() {
  const say = useTable(hookWords)
  const { data, error } = useQuery({ queryKey: ["hooks"], queryFn: listHooks, refetchInterval: LOOK })
  if (!data) return <Pending error={error} />
  return (
    <div className="space-y-5">
      <p className="text-ink-2">{say("lead")}</p>
      <section aria-label={say("deferred")}>
        <h3 className="font-semibold">{say("deferred")}</h3>
        {data.deferred.length === 0 && <p className="mt-1 text-ink-2">{say("noneDeferred")}</p>}
        <ul className="divide-y divide-line">
          {data.deferred.map((call) => (
            <Waiting key={call.id} call={call} />
          ))}
        </ul>
      </section>
      {data.faults.length > 0 && <Faults faults={data.faults} />}
      <section aria-label={say("list")}>
        <h3 className="font-semibold">{say("list")}</h3>
        {data.hooks.length === 0 ? <p className="mt-1 text-ink-2">{say("none")}</p> : <Handlers hooks={data.hooks} />}
      </section>
    </div>
  )
}

function Waiting({ call }: { call: DeferredCall }) {
  const say = useTable(hookWords)
  const language = useLanguage()
  const { mutate, isPending, isSuccess, error } = useDecision(call.id)
  const done = isPending || isSuccess
  return (
    <li aria-label={call.name} className="space-y-2 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-48 flex-1">
          <p className="font-medium">{call.name}</p>
          <p className="font-mono text-small break-words text-ink-2">{call.summary || call.arguments}</p>
          {call.approval?.reason && <p className="text-small break-words text-ink-2">{call.approval.reason}</p>}
          <p className="text-small text-ink-3">
            {say("of", { owner: call.owner, at: call.approval ? moment(language, call.approval.asked_at) : "" })}{" "}
            <Link to="/c/$key" params={{ key: call.session }} className="underline underline-offset-3 hover:text-ink">
              {say("open")}
            </Link>
          </p>
        </div>
        <div className="flex gap-2">
          <Button look="primary" aria-label={say("allowLabel", { tool: call.name })} disabled={done} onClick={() => mutate({ decision: "allow" })}>
            {say("allow")}
          </Button>
          <Button aria-label={say("denyLabel", { tool: call.name })} disabled={done} onClick={() => mutate({ decision: "deny" })}>
            {say("deny")}
          </Button>
        </div>
      </div>
      {error && <Note tone="danger" className="text-small">{error.message}</Note>}
    </li>
  )
}

function Faults({ faults }: { faults: HookFault[] }) {
  const say = useTable(hookWords)
  return (
    <Note tone="danger">
      <p className="font-medium">{say("faults")}</p>
      <ul className="mt-1 space-y-1 text-small">
        {faults.map((fault) => (
          <li key={`${fault.source} ${fault.place} ${fault.text}`} className="break-words">
            <span className="font-mono">{fault.place || fault.source}</span>: {fault.text}
          </li>
        ))}
      </ul>
    </Note>
  )
}

function Handlers({ hooks }: { hooks: Hook[] }) {
  const say = useTable(hookWords)
  return (
    <ul className="mt-1 divide-y divide-line text-small">
      {hooks.map((hook) => (
        <li key={`${hook.source} ${hook.place}`} className="py-2">
          <p>
            <span className="font-medium">{hook.event}</span>
            {hook.async && <span className="text-ink-3"> · {say("async")}</span>}
          </p>
          <p className="font-mono break-words text-ink-2">{hook.label}</p>
          <p className="font-mono text-[0.75rem] break-all text-ink-3">{hook.source}</p>
        </li>
      ))}
    </ul>
  )
}
