import { ChevronRight, Layers2 } from "lucide-react"
import { useState } from "react"

import type { Task } from "../../api/types"
import type { Work } from "../../api/works"
import { useT } from "../../i18n"
import { cx } from "../../lib/cx"
import { useNow } from "../../lib/useNow"
import { useConversationContext } from "../shared/context"
import { TaskItem } from "./TaskItems"
import { useWorks } from "./useWorks"
import { nameOfWork, WorkItem } from "./WorkItem"

/** What goes on in the background now, above the composer: one line that opens. Gone when nothing does. */
export default function TaskStrip({ tasks, below }: { tasks: Task[]; below: number }) {
  const t = useT()
  const [open, setOpen] = useState(false)
  const works = useWorks(below)
  const running = [...tasks.filter((task) => task.state === "running"), ...works].sort((a, b) => b.started_at.localeCompare(a.started_at))
  const [newest] = running
  if (!newest) return null
  return (
    <div className="mb-2 rounded-md border border-line">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-8 w-full items-center gap-2.5 rounded-md px-3 text-left text-small hover:bg-hover"
      >
        <Layers2 size={15} aria-hidden className="shrink-0 text-ink-3" />
        <span className="shrink-0 font-medium text-ink-2">{t("task.count", { count: running.length })}</span>
        <span className={cx("min-w-0 flex-1 truncate text-ink-3", !isWork(newest) && "font-mono text-[0.75rem]")}>
          {isWork(newest) ? nameOfWork(newest) : newest.command.split("\n")[0]}
        </span>
        <ChevronRight size={15} aria-hidden className={cx("shrink-0 text-ink-3 transition-transform", open ? "rotate-90" : "-rotate-90")} />
      </button>
      {open && <Running tasks={running} />}
    </div>
  )
}

const isWork = (task: Task): task is Work => task.kind !== undefined

function Running({ tasks }: { tasks: Task[] }) {
  const { skew } = useConversationContext()
  const now = useNow(true) + skew
  return (
    <ul className="max-h-60 overflow-y-auto px-1.5 pb-1.5 text-small">
      {tasks.map((task) => (
        <li key={task.call_id || task.id}>{isWork(task) ? <WorkItem work={task} now={now} /> : <TaskItem task={task} now={now} />}</li>
      ))}
    </ul>
  )
}
