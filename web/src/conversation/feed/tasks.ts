// Background tasks within a session's state: commands that outlived the call that started them.
import type { Output, Task } from "../../api/types"
import { OUTPUT_KEPT } from "./live-step"
import { addPiece, emptyText, keepTail, type PartialText } from "./partial-text"
import type { FeedState } from "./state"

/** Adds tasks to a list, newest first. A task that ended never runs again. */
export function mergeTasks(list: Task[], added: Task[]): Task[] {
  const byId = new Map(list.map((task) => [task.id, task]))
  for (const task of added) {
    const known = byId.get(task.id)
    if (!known || known.state === "running" || task.state !== "running") byId.set(task.id, task)
  }
  return [...byId.values()].sort((a, b) => b.started_at.localeCompare(a.started_at) || taskNumber(b.id) - taskNumber(a.id))
}

/** The n of "bg<n>". */
const taskNumber = (id: string): number => Number(/\d+$/.exec(id)?.[0] ?? 0)

/** A task started or ended. What it printed is read anew when it has ended. */
export function applyTask(state: FeedState, task: Task): FeedState {
  const tasks = mergeTasks(state.tasks, [task])
  if (task.state === "running") return { ...state, tasks }
  const { [task.call_id]: finished, ...taskOutputs } = state.taskOutputs
  return { ...state, tasks, taskOutputs: finished ? taskOutputs : state.taskOutputs }
}

/** A call became a task: what its command printed so far goes on as the task's. */
export function handOver(state: FeedState, call: string, printed: PartialText): FeedState {
  const ended = state.tasks.some((task) => task.call_id === call && task.state !== "running")
  if (ended || state.taskOutputs[call]) return state
  return { ...state, taskOutputs: { ...state.taskOutputs, [call]: printed } }
}

/** Adds what a running task printed; undefined when the output belongs to no task. */
export function addTaskOutput(state: FeedState, output: Output): FeedState | undefined {
  const task = state.tasks.find((candidate) => candidate.call_id === output.call_id)
  if (!task) return undefined
  if (task.state !== "running") return state
  const before = state.taskOutputs[output.call_id] ?? emptyText
  const after = keepTail(addPiece(before, output.offset, output.text), OUTPUT_KEPT)
  return after === before ? state : { ...state, taskOutputs: { ...state.taskOutputs, [output.call_id]: after } }
}
