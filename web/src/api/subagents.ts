// The call about who works for a conversation.
import { api, unwrap } from "./client"
import type { components } from "./schema"

export type Subagent = components["schemas"]["Subagent"]

/** The tree below a conversation, newest first; of a subagent's own conversation the tree that it is part of. */
export async function listSubagents(key: string): Promise<Subagent[]> {
  const answer = await unwrap(api.GET("/api/sessions/{key}/subagents", { params: { path: { key } } }))
  return answer.subagents ?? []
}
