// The calls of administrators about services: agents that are published to programs and people outside.
import { api, unwrap } from "./client"
import type { components } from "./schema"
import type { Message } from "./types"

type Schemas = components["schemas"]

export type Service = Omit<Schemas["ServiceView"], "allowed_docs" | "allowed_scripts" | "capabilities" | "quick_questions" | "origins"> & {
  allowed_docs: string[]
  allowed_scripts: string[]
  capabilities: string[]
  quick_questions: string[]
  origins: string[]
}
export type ServiceChange = Schemas["ServiceChange"]
export type ServiceKey = Schemas["ServiceKey"]
/** With its secret, which is shown this once. */
export type NewServiceKey = Schemas["NewServiceKey"]
export type ConsumerConversation = Schemas["ConsumerConversation"]

export interface ConsumerTranscript {
  conversation: ConsumerConversation
  messages: Message[]
  has_more: boolean
}

export type UsageRow = Schemas["ServiceUsageRow"]
export type ServiceUsage = Omit<Schemas["ServiceUsage"], "rows"> & { rows: UsageRow[] }

const at = (id: string) => ({ params: { path: { id } } })
const keyAt = (id: string, kid: string) => ({ params: { path: { id, kid } } })
const conversationAt = (id: string, cid: string) => ({ params: { path: { id, cid } } })

/** Lists that nobody filled come as null. */
const whole = (s: Schemas["ServiceView"]): Service => ({
  ...s, allowed_docs: s.allowed_docs ?? [], allowed_scripts: s.allowed_scripts ?? [], capabilities: s.capabilities ?? [], quick_questions: s.quick_questions ?? [], origins: s.origins ?? [],
})

/** Those of all administrators, by name. */
export async function listServices(): Promise<Service[]> {
  const { services } = await unwrap(api.GET("/api/services"))
  return (services ?? []).map(whole)
}

/** Makes one, or changes one. A conflict: it was changed meanwhile. */
export async function saveService(id: string | undefined, body: ServiceChange): Promise<Service> {
  if (id !== undefined) return whole(await unwrap(api.PATCH("/api/services/{id}", { ...at(id), body })))
  return whole(await unwrap(api.POST("/api/services", { body: { ...body, revision: undefined } }))) // a new one has none
}

/** It goes with its keys and conversations, whatever dies meanwhile. */
export const deleteService = (id: string) => unwrap(api.DELETE("/api/services/{id}", at(id)))

/** The oldest first, also those that were revoked. */
export async function listServiceKeys(id: string): Promise<ServiceKey[]> {
  const { keys } = await unwrap(api.GET("/api/services/{id}/keys", at(id)))
  return keys ?? []
}

export const createServiceKey = (id: string, name: string): Promise<NewServiceKey> => unwrap(api.POST("/api/services/{id}/keys", { ...at(id), body: { name } }))

export const revokeServiceKey = (id: string, kid: string) => unwrap(api.DELETE("/api/services/{id}/keys/{kid}", keyAt(id, kid)))

export const rotateServiceKey = (id: string, kid: string): Promise<NewServiceKey> => unwrap(api.POST("/api/services/{id}/keys/{kid}/rotate", keyAt(id, kid)))

/** The last used first. `before`: only those that were last used before; empty: all. */
export async function listConsumerConversations(id: string, q: string, before: string): Promise<{ conversations: ConsumerConversation[]; more: boolean }> {
  const query = { ...(q && { q }), ...(before && { before }), limit: 30 }
  const { conversations, more } = await unwrap(api.GET("/api/services/{id}/conversations", { params: { path: { id }, query } }))
  return { conversations: conversations ?? [], more }
}

/** What was said, ascending. `before`: the messages before that one; 0: the newest. */
export async function readConsumerConversation(id: string, cid: string, before: number): Promise<ConsumerTranscript> {
  const query = { ...(before > 0 && { before }), limit: 100 }
  const said = await unwrap(api.GET("/api/services/{id}/conversations/{cid}", { params: { path: { id, cid }, query } }))
  return { ...said, messages: said.messages ?? [] }
}

export const deleteConsumerConversation = (id: string, cid: string) => unwrap(api.DELETE("/api/services/{id}/conversations/{cid}", conversationAt(id, cid)))

/** What consumers used in the last days, today included. */
export async function readServiceUsage(id: string, days: number, group: "day" | "key"): Promise<ServiceUsage> {
  const { rows, ...rest } = await unwrap(api.GET("/api/services/{id}/usage", { params: { path: { id }, query: { from: daysAgo(days - 1), group } } }))
  return { ...rest, rows: rows ?? [] }
}

/** The same as a table for a spreadsheet. */
export const readServiceUsageFile = (id: string, days: number, group: "day" | "key"): Promise<Blob> =>
  unwrap(api.GET("/api/services/{id}/usage.csv", { params: { path: { id }, query: { from: daysAgo(days - 1), group } }, parseAs: "blob" }))

const daysAgo = (n: number): string => new Date(Date.now() - n * 86_400_000).toISOString().slice(0, 10)
