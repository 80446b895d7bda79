// The calls about how messages wait, who answers them, and where conversations begin anew.
import { api, unwrap } from "./client"
import type { components } from "./schema"
import type { Session } from "./types"

/** What is set for one conversation alone; an empty value, or a missing one of the queue, follows what is set elsewhere. */
export interface SessionChange {
  title?: string
  pinned?: boolean
  shelf?: "" | "archived"
  model?: string
  think?: string
  verbose?: string
  queue?: Session["queue"]
  send?: string
  activation?: string
}

export const changeSession = (key: string, change: SessionChange): Promise<Session> =>
  unwrap(api.PATCH("/api/sessions/{key}", { params: { path: { key } }, body: change }))

/** Changes a message that waits. A conflict: a turn has taken it in meanwhile. */
export const editQueued = (key: string, inbox: number, text: string) =>
  unwrap(api.PUT("/api/sessions/{key}/queue/{inbox_id}", { params: { path: { key, inbox_id: inbox } }, body: { text } }))

/** Takes a message back that waits. A conflict: a turn has taken it in meanwhile. */
export const recallQueued = (key: string, inbox: number) =>
  unwrap(api.DELETE("/api/sessions/{key}/queue/{inbox_id}", { params: { path: { key, inbox_id: inbox } } }))

/** A message that was found. */
export type Hit = components["schemas"]["Found"]

/** The messages of this person's conversations that hold a text, newest first. */
export async function searchMessages(q: string): Promise<Hit[]> {
  const { results } = await unwrap(api.GET("/api/search", { params: { query: { q } } }))
  return results ?? []
}

/** One of those who answer; without a model of its own that of the server. */
export type Agent = components["schemas"]["Agent"]

export async function listAgents(): Promise<Agent[]> {
  const { agents } = await unwrap(api.GET("/api/agents"))
  return agents ?? []
}
