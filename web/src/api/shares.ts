// The calls about links by which anybody reads a conversation.
import { api, unwrap } from "./client"
import type { components } from "./schema"

export type ShareLink = components["schemas"]["ShareLink"]
export type Shared = Omit<components["schemas"]["SharedBody"], "messages"> & { messages: SharedMessage[] }
export type SharedMessage = components["schemas"]["SharedMessage"]

export async function listShares(key: string): Promise<ShareLink[]> {
  const { shares } = await unwrap(api.GET("/api/sessions/{key}/shares", { params: { path: { key } } }))
  return shares ?? []
}

export const createShare = (key: string, expires_in: number) => unwrap(api.POST("/api/sessions/{key}/shares", { params: { path: { key } }, body: { expires_in } }))

export const revokeShare = (key: string, id: number) => unwrap(api.DELETE("/api/sessions/{key}/shares/{id}", { params: { path: { key, id } } }))

export async function readShared(token: string): Promise<Shared> {
  const { messages, ...rest } = await unwrap(api.GET("/api/shared/{token}", { params: { path: { token } } }))
  return { ...rest, messages: messages ?? [] }
}
