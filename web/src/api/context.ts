// The calls about what the model sees of a conversation, what it costs, and going back in it.
import { api, unwrap } from "./client"
import type { ContextMode, ContextView, SentRequest, ServerCommand, Session, UsageReport } from "./types"

export const readSession = (key: string): Promise<Session> => unwrap(api.GET("/api/sessions/{key}", { params: { path: { key } } }))

export const readContext = (key: string): Promise<ContextView> => unwrap(api.GET("/api/sessions/{key}/context", { params: { path: { key } } }))

export const setContextMode = (key: string, mode: ContextMode): Promise<ContextView> =>
  unwrap(api.PUT("/api/sessions/{key}/context", { params: { path: { key } }, body: { mode } }))

export const compact = (key: string, id: string, focus: string) =>
  unwrap(api.POST("/api/sessions/{key}/compact", { params: { path: { key } }, body: { client_message_id: id, ...(focus === "" ? {} : { focus }) } }))

/** Asks for a message and all after it to be taken out; it takes its place after what runs and waits. */
export const rewind = (key: string, id: string, message: number) =>
  unwrap(api.POST("/api/sessions/{key}/rewind", { params: { path: { key } }, body: { client_message_id: id, message_id: message } }))

/** Copies a conversation up to the end of the turn of a message. */
export const fork = (key: string, message: number): Promise<Session> =>
  unwrap(api.POST("/api/sessions/{key}/fork", { params: { path: { key } }, body: { message_id: message } }))

export const readRequest = (key: string, turn: string, step: number): Promise<SentRequest> =>
  unwrap(api.GET("/api/sessions/{key}/turns/{turn}/steps/{step}/request", { params: { path: { key, turn, step } } }))

/** Where the whole result of a call is, also where the model saw a summary of it. */
export const resultAddress = (key: string, call: string) => `/api/sessions/${encodeURIComponent(key)}/calls/${encodeURIComponent(call)}/result`

/** The whole result of a call. It is text, however it looks. */
export const readResult = (key: string, call: string): Promise<string> =>
  unwrap(api.GET("/api/sessions/{key}/calls/{call_id}/result", { params: { path: { key, call_id: call } }, parseAs: "text" }))

export async function readUsage(days: number): Promise<UsageReport> {
  const answer = await unwrap(api.GET("/api/usage", { params: { query: { days } } }))
  return { ...answer, days: answer.days ?? [], sessions: answer.sessions ?? [], media: answer.media ?? [] }
}

export async function listCommands(): Promise<ServerCommand[]> {
  const answer = await unwrap(api.GET("/api/commands"))
  return answer.commands ?? []
}
