import type { Task } from "../../api/types"
import type { Translate } from "../../i18n"
import { duration, wholeDuration } from "../../i18n/format"

/** How far a task has come, in words: "running", "exit code 0". */
export function stateOfTask(t: Translate, task: Task): string {
  return task.state === "exited" ? t("task.exited", { code: task.code }) : t(`task.${task.state}`)
}

/** How long it took, or has taken until now. */
export function timeOfTask(t: Translate, task: Task, now: number): string {
  const start = Date.parse(task.started_at)
  return task.ended_at ? duration(t, Date.parse(task.ended_at) - start) : wholeDuration(t, (now - start) / 1000)
}

/** Whether it ended otherwise than well. */
export const hasFailed = (task: Task): boolean => task.state !== "running" && !(task.state === "exited" && task.code === 0)
