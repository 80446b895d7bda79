// Every call the page makes, one function each, with the lists that the server may leave out filled in.
import { api, unwrap } from "./client"
import { listTasks } from "./coming"
import { Problem } from "./problem"
import { isTold, type LoginInfo, type Me, type Session, type Snapshot, type Token, type ToldTurn, type Turn } from "./types"

const at = (key: string) => ({ path: { key } })

export const loginInfo = (): Promise<LoginInfo> => unwrap(api.GET("/api/login"))

export const login = (body: { username: string; password: string } | { token: string }) =>
  unwrap(api.POST("/api/login", { body }))

export const logout = () => unwrap(api.POST("/api/logout"))

export const me = (): Promise<Me> => unwrap(api.GET("/api/me"))

export const setPassword = (body: { password: string; current?: string }) => unwrap(api.POST("/api/me/password", { body }))

export async function listSessions(q: string): Promise<Session[]> {
  const answer = await unwrap(api.GET("/api/sessions", { params: { query: q === "" ? {} : { q } } }))
  return answer.sessions ?? []
}

export const createSession = (key: string): Promise<Session> => unwrap(api.POST("/api/sessions", { body: { key } }))

export const changeSession = (key: string, body: { title?: string; pinned?: boolean }): Promise<Session> =>
  unwrap(api.PATCH("/api/sessions/{key}", { params: at(key), body }))

export const deleteSession = (key: string) => unwrap(api.DELETE("/api/sessions/{key}", { params: at(key) }))

export const sendMessage = (key: string, clientMessageId: string, text: string) =>
  unwrap(api.POST("/api/sessions/{key}/messages", { params: at(key), body: { client_message_id: clientMessageId, text } }))

/** The newest messages and all background tasks, or the messages before a message id. */
export async function readMessages(key: string, before?: number): Promise<Snapshot> {
  const tasks = before === undefined ? tasksOf(key) : []
  const answer = await unwrap(
    api.GET("/api/sessions/{key}/messages", { params: { ...at(key), query: before === undefined ? {} : { before } } }),
  )
  return {
    messages: answer.messages ?? [],
    queued: answer.queued ?? [],
    todos: answer.todos ?? [],
    tasks: await tasks,
    seq: answer.seq,
    hasMore: answer.has_more,
  }
}

/** A server without background tasks has none. */
async function tasksOf(key: string) {
  try {
    return await listTasks(key)
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return []
    throw error
  }
}

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

export const createToken = (name: string) => unwrap(api.POST("/api/tokens", { body: { name } }))

export const deleteToken = (id: number) => unwrap(api.DELETE("/api/tokens/{id}", { params: { path: { id } } }))
