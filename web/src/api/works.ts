// The call about what else works for a conversation in the background: no commands.
import { api, unwrap } from "./client"
import type { components } from "./schema"

type Task = components["schemas"]["Task"]

/** A subagent in the background, a chat among agents, or the last run of a job. */
export type Work = Task & { kind: NonNullable<Task["kind"]> }

/** What works, or has lately worked, for a conversation, newest first. */
export async function listWorks(key: string): Promise<Work[]> {
  const { tasks } = await unwrap(api.GET("/api/sessions/{key}/tasks", { params: { path: { key }, query: { all: true } } }))
  return (tasks ?? []).filter((task): task is Work => task.kind !== undefined)
}
