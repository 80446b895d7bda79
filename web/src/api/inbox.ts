// The calls of administrators about what consumers of services ask, and about who answers them.
import { api, unwrap } from "./client"
import type { components } from "./schema"

export type Item = components["schemas"]["Item"]
export type Status = Item["status"]
export type Taken = components["schemas"]["TakenConversation"]
export type Unread = components["schemas"]["InboxUnread"]
export type Said = components["schemas"]["Message"]

export interface Inbox {
  items: Item[]
  more: boolean
  taken: Taken[]
  unread: Unread
}

/** The newest items, or with `before` those that were made before then. */
export async function readInbox(status: Status | "", before = ""): Promise<Inbox> {
  const { items, more, taken, unread } = await unwrap(api.GET("/api/inbox", { params: { query: { ...(status && { status }), ...(before && { before }) } } }))
  return { items: items ?? [], more, taken: taken ?? [], unread }
}

export const countInbox = () => unwrap(api.GET("/api/inbox/unread-count"))

export const changeItem = (id: string, status: Status) => unwrap(api.PATCH("/api/inbox/{id}", { params: { path: { id } }, body: { status } }))

export const deleteItem = (id: string) => unwrap(api.DELETE("/api/inbox/{id}", { params: { path: { id } } }))

/** Says something to the consumer of an item. The same id again is said once. */
export const answerItem = (id: string, text: string, client_message_id: string) =>
  unwrap(api.POST("/api/inbox/{id}/answer", { params: { path: { id } }, body: { text, client_message_id } }))

const at = (id: string, cid: string) => ({ params: { path: { id, cid } } })

/** What was said in a conversation, the newest of it. */
export async function readTalk(service: string, conversation: string): Promise<Said[]> {
  const { messages } = await unwrap(api.GET("/api/services/{id}/conversations/{cid}", { params: { path: { id: service, cid: conversation }, query: { limit: 50 } } }))
  return messages ?? []
}

export const take = (service: string, conversation: string) => unwrap(api.POST("/api/services/{id}/conversations/{cid}/take", at(service, conversation)))

export const give = (service: string, conversation: string) => unwrap(api.POST("/api/services/{id}/conversations/{cid}/give", at(service, conversation)))

/** Says something in a conversation in place of the agent. The same id again is said once. */
export const say = (service: string, conversation: string, text: string, client_message_id: string) =>
  unwrap(api.POST("/api/services/{id}/conversations/{cid}/say", { ...at(service, conversation), body: { text, client_message_id } }))
