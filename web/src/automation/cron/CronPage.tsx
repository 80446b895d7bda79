import { useQuery } from "@tanstack/react-query"
import { ArrowLeft, Plus } from "lucide-react"
import { Tabs } from "radix-ui"
import { lazy, Suspense, useState } from "react"

import type { Job } from "../../api/cron"
import { cronWords } from "../../i18n/cron"
import { trackWords } from "../../i18n/servicetrack"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Pending } from "../../ui/Pending"
import { JobForm } from "./JobForm"
import { JobRow } from "./JobRow"
import { jobsQuery } from "./queries"

const Timeline = lazy(() => import("./Timeline"))

const tab = "-mb-px border-b-2 border-transparent px-1 py-2 font-medium text-ink-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"

/** What is done for a person at certain times: how it stands, what is to be done, and what became of it. */
export default function CronPage() {
  const say = useTable(cronWords)
  const track = useTable(trackWords)
  const { data, error } = useQuery(jobsQuery)
  const [open, setOpen] = useState<{ job?: Job }>()
  if (!data) return <Pending error={error} />
  if (open) {
    const close = () => setOpen(undefined)
    return (
      <div className="space-y-4">
        <div className="flex items-center gap-3">
          <Button look="quiet" onClick={close}>
            <ArrowLeft size={15} aria-hidden /> {say("back")}
          </Button>
          <h3 className="font-semibold">{open.job ? say("change", { name: open.job.name ?? "" }) : say("add")}</h3>
        </div>
        <JobForm job={open.job} zone={{ name: data.timezone, from: data.timezone_from }} onDone={close} />
      </div>
    )
  }
  return (
    <div className="space-y-4">
      <p className="text-ink-2">{say("lead")}</p>
      <Tabs.Root defaultValue="list" className="space-y-4">
        <Tabs.List aria-label={track("views")} className="flex gap-5 border-b border-line">
          <Tabs.Trigger value="list" className={tab}>{track("list")}</Tabs.Trigger>
          <Tabs.Trigger value="timeline" className={tab}>{track("timeline")}</Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="list" className="space-y-4">
          {data.jobs.length === 0 && <p className="text-ink-2">{say("none")}</p>}
          <ul aria-label={say("list")} className="divide-y divide-line">
            {data.jobs.map((job) => (
              <JobRow key={job.id} job={job} onEdit={() => setOpen({ job })} />
            ))}
          </ul>
          <Button onClick={() => setOpen({})}>
            <Plus size={15} aria-hidden /> {say("add")}
          </Button>
        </Tabs.Content>
        <Tabs.Content value="timeline">
          <Suspense>
            <Timeline zone={data.timezone} />
          </Suspense>
        </Tabs.Content>
      </Tabs.Root>
    </div>
  )
}
