// The calls of administrators about accounts and invitations, and of somebody who comes by one.
import { api, unwrap } from "./client"
import { keepLogin } from "./pagekey"
import type { components } from "./schema"

export type Account = Omit<components["schemas"]["Account"], "channels"> & { channels: string[] }
export type Role = Account["role"]

export async function listAccounts(): Promise<Account[]> {
  const { users } = await unwrap(api.GET("/api/users"))
  return (users ?? []).map((user) => ({ ...user, channels: user.channels ?? [] }))
}

/** Adds a person. The link signs them in once. */
export const createAccount = (body: { name: string; role: Role }) => unwrap(api.POST("/api/users", { body }))

export const changeAccount = (id: number, body: { role?: Role; disabled?: boolean }) => unwrap(api.PATCH("/api/users/{id}", { params: { path: { id } }, body }))

/** Has a person deleted with all that they have. It goes on by itself, and cannot be taken back. */
export const deleteAccount = (id: number) => unwrap(api.DELETE("/api/users/{id}", { params: { path: { id } } }))

/** A link that signs a person in once. Their password is forgotten where that is wanted. */
export const createSignInLink = (id: number, forget_password: boolean) =>
  unwrap(api.POST("/api/users/{id}/sign-in-link", { params: { path: { id } }, body: { forget_password } }))

export type Invite = components["schemas"]["Invite"]

export async function listInvites(): Promise<Invite[]> {
  const { invites } = await unwrap(api.GET("/api/invites"))
  return invites ?? []
}

export const createInvite = (body: { note: string; role: Role; uses: number; days: number }) => unwrap(api.POST("/api/invites", { body }))

export const withdrawInvite = (id: number) => unwrap(api.DELETE("/api/invites/{id}", { params: { path: { id } } }))

/** Makes an account of one's own by an invitation, and signs in. */
export async function join(body: { token: string; username: string; password: string }) {
  const answer = await unwrap(api.POST("/api/join", { body }))
  keepLogin(answer)
  return answer
}
