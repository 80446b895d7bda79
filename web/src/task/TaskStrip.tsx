import { ChevronRight, Layers2 } from "lucide-react"
import { useState } from "react"

import type { Task } from "../api/types"
import { useT } from "../i18n"
import { cx } from "../lib/cx"
import { TaskItems } from "./TaskItems"

/** The background tasks that run now, above the composer: one line that opens. Gone when none runs. */
export function TaskStrip({ tasks }: { tasks: Task[] }) {
  const t = useT()
  const [open, setOpen] = useState(false)
  const running = tasks.filter((task) => task.state === "running")
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
        <span className="min-w-0 flex-1 truncate font-mono text-[0.75rem] text-ink-3">{newest.command.split("\n")[0]}</span>
        <ChevronRight size={15} aria-hidden className={cx("shrink-0 text-ink-3 transition-transform", open ? "rotate-90" : "-rotate-90")} />
      </button>
      {open && (
        <div className="max-h-48 overflow-y-auto px-1.5 pb-1.5">
          <TaskItems tasks={running} />
        </div>
      )}
    </div>
  )
}
