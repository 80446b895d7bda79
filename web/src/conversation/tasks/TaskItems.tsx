import type { Task } from "../../api/types"
import { useT } from "../../i18n"
import { cx } from "../../lib/cx"
import { useNow } from "../../lib/useNow"
import { useConversationContext } from "../shared/context"
import { hasFailed, stateOfTask, timeOfTask } from "./words"

/** Background tasks, one a line: command, state, time. Pressing one opens it. */
export function TaskItems({ tasks }: { tasks: Task[] }) {
  const { skew } = useConversationContext()
  const now = useNow(tasks.some((task) => task.state === "running")) + skew
  return (
    <ul className="text-small">
      {tasks.map((task) => (
        <li key={task.id}>
          <TaskItem task={task} now={now} />
        </li>
      ))}
    </ul>
  )
}

/** A background command, which opens when it is pressed. */
export function TaskItem({ task, now }: { task: Task; now: number }) {
  const t = useT()
  const { showTask } = useConversationContext()
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      onClick={() => showTask(task.id)}
      className="flex min-h-8 w-full items-baseline gap-2.5 rounded-md px-1.5 py-1 text-left hover:bg-hover"
    >
      <span className="shrink-0 text-ink-2">{task.id}</span>
      <span className="min-w-0 flex-1 truncate font-mono text-[0.75rem]">{task.command.split("\n")[0]}</span>
      <span className={cx("shrink-0 tabular-nums", task.state === "running" ? "text-accent" : hasFailed(task) ? "text-danger" : "text-ink-3")}>
        {stateOfTask(t, task)} · {timeOfTask(t, task, now)}
      </span>
    </button>
  )
}
