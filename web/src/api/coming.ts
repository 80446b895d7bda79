// Nouns and calls of endpoints that the server's document does not describe yet; the shapes are those of internal/chat and
// of the endpoints to come.
import { api, unwrap } from "./client"

export type TaskState = "running" | "exited" | "killed" | "timed_out" | "lost"

/** A command that goes on in the background of a session. */
export interface Task {
  id: string
  call_id: string
  command: string
  runner: string
  state: TaskState
  /** Exit status once it has exited. */
  code: number
  /** Bytes written in all, known at the end. */
  total: number
  /** Head and tail of what it wrote, once it has ended. */
  output?: string
  started_at: string
  ended_at?: string
}

/** Where commands can run. */
export interface Runner {
  name: string
  kind: "local" | "docker" | "native"
  online: boolean
  connected_at?: string
  seen_at?: string
  os?: string
  arch?: string
  version?: string
  workspace?: string
  /** What a command cannot do there, in words. */
  confinement?: string
  llm?: { provider: string; model: string }
  active: boolean
  revocable: boolean
}

export interface RunnerList {
  runners: Runner[]
  /** The chosen one; empty is the default. */
  active: string
  /** The one that is really used. */
  effective: string
}

/** A token that is shown once, with the command line it is for. */
export interface NewRunnerToken {
  token: string
  command: string
}

export type Rule = "allow" | "ask" | "deny"

/** What happens when a tool is to be run for this user. */
export interface ToolRule {
  name: string
  class: "read" | "idempotent" | "exec" | "once"
  summary: string
  rule: Rule
}

export interface FileEntry {
  name: string
  path: string
  size: number
  dir: boolean
  mod_time: string
  link?: string
}

export interface Folder {
  path: string
  parent?: string
  entries: FileEntry[]
}

export interface UploadedFile {
  name: string
  path: string
  size: number
}

type Untyped = (path: string, init?: { body?: unknown }) => Promise<{ data?: unknown; error?: unknown; response: Response }>

const untyped = api as unknown as Record<"GET" | "POST" | "PUT" | "DELETE", Untyped>

async function ask<T>(method: keyof typeof untyped, path: string, body?: unknown): Promise<T> {
  return (await unwrap(untyped[method](path, body === undefined ? {} : { body }))) as T
}

const of = (key: string) => `/api/sessions/${encodeURIComponent(key)}`

export const answerApproval = (key: string, call: string, body: { decision: "allow" | "deny"; note?: string; always?: boolean }) =>
  ask("POST", `${of(key)}/approvals/${encodeURIComponent(call)}`, body)

export async function listTasks(key: string): Promise<Task[]> {
  const answer = await ask<{ tasks: Task[] | null }>("GET", `${of(key)}/tasks`)
  return answer.tasks ?? []
}

export const readTask = (key: string, id: string) => ask<Task>("GET", `${of(key)}/tasks/${encodeURIComponent(id)}`)

export const killTask = (key: string, id: string) => ask<Task>("POST", `${of(key)}/tasks/${encodeURIComponent(id)}/kill`)

export async function readFolder(key: string, path: string): Promise<Folder> {
  const answer = await ask<Omit<Folder, "entries"> & { entries: FileEntry[] | null }>(
    "GET",
    `${of(key)}/files${path === "" ? "" : `?path=${encodeURIComponent(path)}`}`,
  )
  return { ...answer, entries: answer.entries ?? [] }
}

export const linkFile = (key: string, path: string) => ask<{ url: string; expires_at: string }>("POST", `${of(key)}/links`, { path })

const runnerList = (answer: Omit<RunnerList, "runners"> & { runners: Runner[] | null }): RunnerList => ({ ...answer, runners: answer.runners ?? [] })

export const listRunners = async () => runnerList(await ask("GET", "/api/runners"))

export const chooseRunner = async (name: string) => runnerList(await ask("PUT", "/api/runners/active", { name }))

export const createRunner = (name: string) => ask<NewRunnerToken & { runner: Runner }>("POST", "/api/runners", { name })

export const renewRunner = (name: string) => ask<NewRunnerToken>("POST", `/api/runners/${encodeURIComponent(name)}/token`)

export const revokeRunner = (name: string) => ask("DELETE", `/api/runners/${encodeURIComponent(name)}`)

export async function listToolRules(): Promise<ToolRule[]> {
  const answer = await ask<{ tools: ToolRule[] | null }>("GET", "/api/permissions")
  return answer.tools ?? []
}

export const setToolRule = (tool: string, rule: Rule) => ask<ToolRule>("PUT", `/api/permissions/${encodeURIComponent(tool)}`, { rule })
