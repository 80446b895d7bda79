// The calls about what the model sees of a conversation, what it costs, and going back in it.
import { api, signedOut, unwrap } from "./client"
import { problemFrom, unreachable } from "./problem"
import type { ContextMode, ContextView, SentRequest, ServerCommand, Session, UsageReport } from "./types"

const of = (key: string, rest = "") => `/api/sessions/${encodeURIComponent(key)}${rest}`

async function ask(method: string, path: string, body?: unknown): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, {
      method,
      cache: "no-store",
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    })
  } catch {
    throw unreachable()
  }
  if (response.ok) return response
  if (response.status === 401) signedOut()
  throw problemFrom(response.status, await response.json().catch(() => undefined))
}

async function json<T>(method: string, path: string, body?: unknown): Promise<T> {
  return (await (await ask(method, path, body)).json()) as T
}

export const readSession = (key: string): Promise<Session> => unwrap(api.GET("/api/sessions/{key}", { params: { path: { key } } }))

export const readContext = (key: string) => json<ContextView>("GET", of(key, "/context"))

export const setContextMode = (key: string, mode: ContextMode) => json<ContextView>("PUT", of(key, "/context"), { mode })

export const compact = (key: string, id: string, focus: string) =>
  unwrap(api.POST("/api/sessions/{key}/compact", { params: { path: { key } }, body: { client_message_id: id, ...(focus === "" ? {} : { focus }) } }))

/** Asks for a message and all after it to be taken out; it takes its place after what runs and waits. */
export const rewind = (key: string, id: string, message: number) =>
  unwrap(api.POST("/api/sessions/{key}/rewind", { params: { path: { key } }, body: { client_message_id: id, message_id: message } }))

/** Copies a conversation up to the end of the turn of a message. */
export const fork = (key: string, message: number): Promise<Session> =>
  unwrap(api.POST("/api/sessions/{key}/fork", { params: { path: { key } }, body: { message_id: message } }))

export const readRequest = (key: string, turn: string, step: number) =>
  json<SentRequest>("GET", of(key, `/turns/${encodeURIComponent(turn)}/steps/${step}/request`))

/** Where the whole result of a call is, also where the model saw a summary of it. */
export const resultAddress = (key: string, call: string) => of(key, `/calls/${encodeURIComponent(call)}/result`)

export const readResult = async (key: string, call: string) => (await ask("GET", resultAddress(key, call))).text()

export async function readUsage(days: number): Promise<UsageReport> {
  const answer = await unwrap(api.GET("/api/usage", { params: { query: { days } } }))
  return { ...answer, days: answer.days ?? [], sessions: answer.sessions ?? [] }
}

export async function listCommands(): Promise<ServerCommand[]> {
  const answer = await unwrap(api.GET("/api/commands"))
  return answer.commands ?? []
}
