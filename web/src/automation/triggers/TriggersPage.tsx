import { useQuery } from "@tanstack/react-query"
import { ArrowLeft, Plus } from "lucide-react"
import { useState } from "react"

import type { MadeTrigger, Trigger } from "../../api/triggers"
import { useTable } from "../../i18n/table"
import { triggerWords } from "../../i18n/triggers"
import { Button } from "../../ui/Button"
import { Pending } from "../../ui/Pending"
import { triggersQuery } from "./queries"
import { Secret } from "./Secret"
import { TriggerForm } from "./TriggerForm"
import { TriggerRow } from "./TriggerRow"

/** What other programs may call: how it stands, who has called, and a secret the one time that it can be seen. */
export default function TriggersPage() {
  const say = useTable(triggerWords)
  const { data, error } = useQuery(triggersQuery)
  const [open, setOpen] = useState<{ trigger?: Trigger }>()
  const [made, setMade] = useState<MadeTrigger>()
  if (!data) return <Pending error={error} />
  if (open) {
    const close = () => setOpen(undefined)
    return (
      <div className="space-y-4">
        <div className="flex items-center gap-3">
          <Button look="quiet" onClick={close}>
            <ArrowLeft size={15} aria-hidden /> {say("back")}
          </Button>
          <h3 className="font-semibold">{open.trigger ? say("change", { name: open.trigger.name }) : say("add")}</h3>
        </div>
        <TriggerForm trigger={open.trigger} onMade={setMade} onDone={close} />
      </div>
    )
  }
  return (
    <div className="space-y-4">
      <p className="text-ink-2">{say("lead")}</p>
      {made && <Secret made={made} />}
      {data.length === 0 && <p className="text-ink-2">{say("none")}</p>}
      <ul aria-label={say("list")} className="divide-y divide-line">
        {data.map((trigger) => (
          <TriggerRow key={trigger.id} trigger={trigger} onEdit={() => setOpen({ trigger })} onSecret={setMade} />
        ))}
      </ul>
      <Button onClick={() => setOpen({})}>
        <Plus size={15} aria-hidden /> {say("add")}
      </Button>
    </div>
  )
}
