import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useRef, useState } from "react"

import { publishTask } from "../api/cron"
import { JobRow } from "../automation/cron/JobRow"
import { serviceJobsQuery } from "../automation/cron/queries"
import { cronWords } from "../i18n/cron"
import { trackWords } from "../i18n/servicetrack"
import { useTable } from "../i18n/table"
import { randomId } from "../lib/ids"
import { Area } from "../ui/Area"
import { Button } from "../ui/Button"
import { Choice } from "../ui/Choice"
import { Field } from "../ui/Field"
import { Note } from "../ui/Note"
import { Pending } from "../ui/Pending"
import { toast } from "../ui/toasts"

/** What a service's agent is told at certain times. */
export default function Tasks({ id }: { id: string }) {
  const say = useTable(trackWords)
  const { data, error } = useQuery(serviceJobsQuery(id))
  const [open, setOpen] = useState(false)
  if (!data) return <Pending error={error} />
  return (
    <div className="space-y-4">
      <p className="text-ink-2">{say("tasksLead")}</p>
      {data.jobs.length === 0 && <p className="text-ink-2">{say("noTasks")}</p>}
      <ul aria-label={say("tasks")} className="divide-y divide-line">
        {data.jobs.map((job) => (
          <JobRow key={job.id} job={job} />
        ))}
      </ul>
      {open ? <Publish id={id} onDone={() => setOpen(false)} /> : <Button onClick={() => setOpen(true)}>{say("publish")}</Button>}
    </div>
  )
}

function Publish({ id, onDone }: { id: string; onDone: () => void }) {
  const say = useTable(trackWords)
  const cron = useTable(cronWords)
  const client = useQueryClient()
  const once = useRef("")
  const [message, setMessage] = useState("")
  const [type, setType] = useState<"once" | "cron" | "interval">("once")
  const [schedule, setSchedule] = useState("")
  const [tried, setTried] = useState(false)
  const publishing = useMutation({
    mutationFn: () => {
      once.current ||= randomId() // a request whose answer was lost is the same when it is sent again
      return publishTask(id, message, type, schedule, once.current)
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["jobs"] }), // also one that failed may have arrived
    onSuccess: () => {
      toast(say("published"))
      onDone()
    },
  })
  const changes = <T,>(set: (value: T) => void) => (value: T) => {
    once.current = "" // it is another task
    set(value)
  }
  const types = [{ value: "once", text: say("once") }, { value: "cron", text: say("cron") }, { value: "interval", text: say("interval") }]
  return (
    <form
      aria-label={say("publish")}
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (message.trim() !== "") publishing.mutate()
      }}
    >
      <Area label={say("message")} hint={say("messageHint")} problem={tried && message.trim() === "" ? cron("needed") : undefined} value={message} onValue={changes(setMessage)} />
      <Choice label={say("type")} value={type} options={types} onValue={changes((value) => setType(value === "cron" || value === "interval" ? value : "once"))} />
      <Field label={say("schedule")} hint={say("scheduleHint")} value={schedule} onChange={({ target }) => changes(setSchedule)(target.value)} />
      {publishing.error && <Note tone="danger">{publishing.error.message}</Note>}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" type="submit" disabled={publishing.isPending}>{publishing.isPending ? say("sending") : say("send")}</Button>
        <Button look="quiet" onClick={onDone}>{say("cancel")}</Button>
      </div>
    </form>
  )
}
