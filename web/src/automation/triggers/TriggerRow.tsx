import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"

import { changeTrigger, deleteTrigger, type Fire, type MadeTrigger, renewTrigger, type Trigger } from "../../api/triggers"
import { useLanguage } from "../../i18n"
import { useTable } from "../../i18n/table"
import { triggerWords } from "../../i18n/triggers"
import { cx } from "../../lib/cx"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { Pending } from "../../ui/Pending"
import { firesQuery, triggersQuery } from "./queries"
import { draftOf } from "./TriggerForm"

const Confirm = lazy(() => import("../../ui/Confirm"))

interface Props {
  trigger: Trigger
  onEdit: () => void
  onSecret: (made: MadeTrigger) => void
}

const useTime = () => {
  const language = useLanguage()
  return (iso: string) => new Date(iso).toLocaleString(language === "zh" ? "zh-CN" : "en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" })
}

/** One trigger: how it stands, why it was refused last, who has called, and what can be done with it. */
export function TriggerRow({ trigger, onEdit, onSecret }: Props) {
  const say = useTable(triggerWords)
  const time = useTime()
  const [history, setHistory] = useState(false)
  const { name, off } = trigger
  const facts = [say(trigger.source ?? "generic"), say("calls", { count: trigger.fires })]
  if (trigger.fired_at) facts.push(say("last", { date: time(trigger.fired_at) }))
  return (
    <li aria-label={name} className="space-y-2 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-48 flex-1">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium break-words">{name}</span>
            <span className={cx("text-small", off ? "text-ink-3" : "text-accent")}>{say(off ? "off" : "on")}</span>
          </p>
          <p className="text-small break-words text-ink-3">{facts.join(" · ")}</p>
          <p className="font-mono text-small break-all text-ink-2">{trigger.url}</p>
          {trigger.refused && trigger.refused_at && <p className="text-small break-words text-danger">{say("refused", { date: time(trigger.refused_at), why: trigger.refused })}</p>}
        </div>
        <Actions trigger={trigger} history={history} onHistory={() => setHistory(!history)} onEdit={onEdit} onSecret={onSecret} />
      </div>
      {history && <Fires trigger={trigger} />}
    </li>
  )
}

interface ActionsProps {
  trigger: Trigger
  history: boolean
  onHistory: () => void
  onEdit: () => void
  onSecret: (made: MadeTrigger) => void
}

function Actions({ trigger, history, onHistory, onEdit, onSecret }: ActionsProps) {
  const say = useTable(triggerWords)
  const client = useQueryClient()
  const [asking, setAsking] = useState<"renew" | "remove">()
  const again = () => client.invalidateQueries({ queryKey: triggersQuery.queryKey })
  const turning = useMutation({ mutationFn: () => changeTrigger(trigger.id, { ...draftOf(trigger), off: !trigger.off }), onSuccess: again })
  const renewal = useMutation({ mutationFn: () => renewTrigger(trigger.id), onSuccess: onSecret })
  const removal = useMutation({ mutationFn: () => deleteTrigger(trigger.id), onSuccess: again })
  const problem = turning.error ?? renewal.error ?? removal.error
  const turn = trigger.off ? "turnOn" : "turnOff"
  const { name } = trigger
  return (
    <div className="flex flex-wrap gap-1">
      <Button aria-label={say("historyLabel", { name })} aria-expanded={history} onClick={onHistory}>{say("history")}</Button>
      <Button look="quiet" aria-label={say("change", { name })} onClick={onEdit}>{say("edit")}</Button>
      <Button look="quiet" aria-label={say(`${turn}Label`, { name })} disabled={turning.isPending} onClick={() => turning.mutate()}>{say(turn)}</Button>
      <Button look="quiet" aria-label={say("renewLabel", { name })} onClick={() => setAsking("renew")}>{say("renew")}</Button>
      <Button look="quiet" aria-label={say("removeLabel", { name })} onClick={() => setAsking("remove")}>{say("remove")}</Button>
      {problem && <Note tone="danger" className="w-full">{problem.message}</Note>}
      <Suspense>
        {asking && (
          <Confirm
            title={say(`${asking}Title`, { name })}
            text={say(`${asking}Text`)}
            action={say(asking)}
            onClose={() => setAsking(undefined)}
            onConfirm={() => (asking === "renew" ? renewal : removal).mutate()}
          />
        )}
      </Suspense>
    </div>
  )
}

function Fires({ trigger }: { trigger: Trigger }) {
  const say = useTable(triggerWords)
  const { data, error } = useQuery(firesQuery(trigger.id))
  if (!data) return <Pending error={error} />
  if (data.length === 0) return <p className="text-small text-ink-2">{say("noFires")}</p>
  return (
    <ul aria-label={say("historyLabel", { name: trigger.name })} className="space-y-1 rounded-md bg-sunken px-3 py-2 text-small">
      {data.map((fire) => (
        <FireLine key={fire.delivery} fire={fire} />
      ))}
    </ul>
  )
}

function FireLine({ fire }: { fire: Fire }) {
  const say = useTable(triggerWords)
  const time = useTime()
  const facts = [time(fire.at), fire.event, say(fire.outcome), fire.repeats ? say("repeats", { count: fire.repeats }) : "", fire.note].filter((fact) => fact)
  return (
    <li className="break-words">
      {facts.join(" · ")}{" "}
      {fire.session && (
        <Link to="/c/$key" params={{ key: fire.session }} className="text-accent underline underline-offset-3">{say("open")}</Link>
      )}
    </li>
  )
}
