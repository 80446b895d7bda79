// The calls about what the model sees of a conversation, what it costs, and going back in it.
import { problemFrom, unreachable } from "./problem"
import { signedOut } from "./client"
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

export const readSession = (key: string) => json<Session>("GET", of(key))

export const readContext = (key: string) => json<ContextView>("GET", of(key, "/context"))

export const setContextMode = (key: string, mode: ContextMode) => json<ContextView>("PUT", of(key, "/context"), { mode })

export const compact = (key: string, id: string, focus: string) =>
  ask("POST", of(key, "/compact"), { client_message_id: id, ...(focus === "" ? {} : { focus }) })

export const rewind = (key: string, id: string, message: number) =>
  ask("POST", of(key, "/rewind"), { client_message_id: id, message_id: message })

export const fork = (key: string, message: number) => json<Session>("POST", of(key, "/fork"), { message_id: message })

export const readRequest = (key: string, turn: string, step: number) =>
  json<SentRequest>("GET", of(key, `/turns/${encodeURIComponent(turn)}/steps/${step}/request`))

/** Where the whole result of a call is, also where the model saw a summary of it. */
export const resultAddress = (key: string, call: string) => of(key, `/calls/${encodeURIComponent(call)}/result`)

export const readResult = async (key: string, call: string) => (await ask("GET", resultAddress(key, call))).text()

export const readUsage = (days: number) => json<UsageReport>("GET", `/api/usage?days=${days}`)

export async function listCommands(): Promise<ServerCommand[]> {
  const answer = await json<{ commands: ServerCommand[] | null }>("GET", "/api/commands")
  return answer.commands ?? []
}
