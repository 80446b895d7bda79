// Every call the page makes, one function each, with the lists that the server may leave out filled in.
import { api, unwrap } from "./client"
import { partFiles } from "./file-mentions"
import { forgetLogin, keepLogin, knownBrowser } from "./pagekey"
import {
  type Folder,
  isTold,
  type LoginInfo,
  type Me,
  type RunnerList,
  type Session,
  type Snapshot,
  type Task,
  type Token,
  type ToldTurn,
  type Turn,
} from "./types"

const at = (key: string) => ({ path: { key } })

export const loginInfo = (): Promise<LoginInfo> => unwrap(api.GET("/api/login"))

export async function login(body: { username: string; password: string } | { token: string; replace?: boolean }) {
  const answer = await unwrap(api.POST("/api/login", { body: { ...body, ...knownBrowser() } }))
  keepLogin(answer)
  return answer
}

/** Returns the user of a sign-in link, and the user whose login it would end. The link stays valid. */
export const readSignInLink = (token: string) => unwrap(api.POST("/api/login/link", { body: { token } }))

export async function logout() {
  await unwrap(api.POST("/api/logout"))
  forgetLogin()
}

/** An address that the browser can open by itself for a minute. */
export const makePass = (url: string) => unwrap(api.POST("/api/passes", { body: { url } }))

export const me = (): Promise<Me> => unwrap(api.GET("/api/me"))

export const setPassword = (body: { password: string; current?: string; revoke_tokens?: boolean }) => unwrap(api.POST("/api/me/password", { body }))

/** Which conversations are listed: those of the list, those that were archived, one-shots of terminals, or all of them. */
export type Shelf = "listed" | "archived" | "oneshots" | "all"

export async function listSessions(q: string, shelf: Shelf): Promise<Session[]> {
  const answer = await unwrap(api.GET("/api/sessions", { params: { query: { shelf, ...(q !== "" && { q }) } } }))
  return answer.sessions ?? []
}

export const createSession = (key: string): Promise<Session> => unwrap(api.POST("/api/sessions", { body: { key } }))

export const deleteSession = (key: string) => unwrap(api.DELETE("/api/sessions/{key}", { params: at(key) }))

/** Sends a message. Files on the runner that it names go with it: the model is shown the pictures among them. */
export const sendMessage = (key: string, clientMessageId: string, text: string) => {
  const { words, files } = partFiles(text)
  return unwrap(api.POST("/api/sessions/{key}/messages", { params: at(key), body: { client_message_id: clientMessageId, text: words, ...(files.length > 0 && { files }) } }))
}

/**
 * The newest messages, all background tasks and the newest turns. Tasks and turns are read after the messages: what they would be older in
 * than the cursor of the messages, no event brings.
 */
export async function readConversation(key: string): Promise<{ snapshot: Snapshot; turns: Turn[] }> {
  const snapshot = await readMessages(key)
  const [tasks, turns] = await Promise.all([listTasks(key), listTurns(key)])
  return { snapshot: { ...snapshot, tasks }, turns }
}

/** The newest messages, or those before a message id. */
export async function readMessages(key: string, before?: number): Promise<Snapshot> {
  const answer = await unwrap(api.GET("/api/sessions/{key}/messages", { params: { ...at(key), query: before === undefined ? {} : { before } } }))
  return {
    messages: answer.messages ?? [],
    queued: answer.queued ?? [],
    todos: answer.todos ?? [],
    tasks: [],
    seq: answer.seq,
    hasMore: answer.has_more,
  }
}

/** The background tasks of a session, newest first, without their output. */
async function listTasks(key: string): Promise<Task[]> {
  const answer = await unwrap(api.GET("/api/sessions/{key}/tasks", { params: at(key) }))
  return answer.tasks ?? []
}

/** A background task; once it has ended with the head and the tail of its output. */
export const readTask = (key: string, id: string): Promise<Task> =>
  unwrap(api.GET("/api/sessions/{key}/tasks/{id}", { params: { path: { key, id } } }))

export const killTask = (key: string, id: string): Promise<Task> =>
  unwrap(api.POST("/api/sessions/{key}/tasks/{id}/kill", { params: { path: { key, id } } }))

/**
 * Answers the question whether a call may run, or the questions that it asks: "answers" allow it. "always" goes with
 * "allow": the tool asks no more. So do "arguments", with which the call runs instead.
 */
export const answerApproval = (key: string, call: string, body: { decision?: "allow" | "deny"; note?: string; always?: boolean; arguments?: Record<string, unknown>; answers?: Record<string, string[]> }) =>
  unwrap(api.POST("/api/sessions/{key}/approvals/{call_id}", { params: { path: { key, call_id: call } }, body }))

/** A folder where the session's commands run; the empty path is the session's own. */
export async function readFolder(key: string, path: string): Promise<Folder> {
  const query = path === "" ? {} : { path }
  const answer = await unwrap(api.GET("/api/sessions/{key}/files", { params: { ...at(key), query } }))
  return { ...answer, entries: answer.entries ?? [] }
}

/** Makes a link to a file that works without signing in, for a day. */
export const linkFile = (key: string, path: string) => unwrap(api.POST("/api/sessions/{key}/links", { params: at(key), body: { path } }))

export const stopTurn = (key: string) => unwrap(api.DELETE("/api/sessions/{key}/turn", { params: at(key) }))

export async function listTurns(key: string): Promise<Turn[]> {
  const answer = await unwrap(api.GET("/api/sessions/{key}/turns", { params: { ...at(key), query: { limit: 100 } } }))
  const turns: ToldTurn[] = answer.turns ?? []
  return turns.filter(isTold)
}

export async function listTokens(): Promise<Token[]> {
  const answer = await unwrap(api.GET("/api/tokens"))
  return answer.tokens ?? []
}

export const createToken = (body: { name: string; scope: Token["scope"]; days: number }) => unwrap(api.POST("/api/tokens", { body }))

export const deleteToken = (id: number) => unwrap(api.DELETE("/api/tokens/{id}", { params: { path: { id } } }))

type Listed = Omit<RunnerList, "runners"> & { runners: RunnerList["runners"] | null }

const runnerList = (answer: Listed): RunnerList => ({ ...answer, runners: answer.runners ?? [] })

export const listRunners = async () => runnerList(await unwrap(api.GET("/api/runners")))

/** Chooses where this person's commands go; the empty name is the default. */
export const chooseRunner = async (name: string) => runnerList(await unwrap(api.PUT("/api/runners/active", { body: { name } })))

/** Chooses whose model answers: that of the runner if it brings one, or always the server's. */
export const chooseModelSource = async (source: RunnerList["llm_source"]) =>
  runnerList(await unwrap(api.PUT("/api/runners/llm", { body: { source } })))

export const createRunner = (name: string) => unwrap(api.POST("/api/runners", { body: { name } }))

export const renewRunner = (name: string) => unwrap(api.POST("/api/runners/{name}/token", { params: { path: { name } } }))

export const revokeRunner = (name: string) => unwrap(api.DELETE("/api/runners/{name}", { params: { path: { name } } }))
