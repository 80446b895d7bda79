// The calls about chats among subagents.
import { api, unwrap } from "./client"
import type { components } from "./schema"

export type GroupLine = components["schemas"]["GroupLine"]
export type GroupMember = components["schemas"]["Member"]

/** A chat among subagents of a conversation, with what was said. */
export type Group = Omit<components["schemas"]["Group"], "lines" | "members"> & { lines: GroupLine[]; members: GroupMember[] }

export async function listGroups(key: string): Promise<Group[]> {
  const { groups } = await unwrap(api.GET("/api/sessions/{key}/groups", { params: { path: { key } } }))
  return (groups ?? []).map((group) => ({ ...group, lines: group.lines ?? [], members: group.members ?? [] }))
}

export const endGroup = (key: string, id: string) => unwrap(api.POST("/api/sessions/{key}/groups/{id}/end", { params: { path: { key, id } } }))
