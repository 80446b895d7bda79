// The calls of administrators about the policy and who is let in, and of everybody about their own identities.
import { api, unwrap } from "./client"
import type { components } from "./schema"

/** The document in force. */
export interface Policy {
  version: number
  text: string
  /** What of it has no effect or is written in an old way. */
  notes: string[]
}

type Listed<T, K extends keyof T> = Omit<T, K> & { [P in K]: T[P] | null }

const policyOf = (answer: Listed<Policy, "notes">): Policy => ({ ...answer, notes: answer.notes ?? [] })

/** A version of the document, by default the one in force. */
export const readPolicy = async (version?: number) => policyOf(await unwrap(api.GET("/api/policy", { params: { query: { version } } })))

/** A change of the document. */
export type PolicyVersion = components["schemas"]["PolicyVersion"]

/** Who changed the document and when, the newest first. */
export async function listPolicyVersions(limit: number): Promise<PolicyVersion[]> {
  const { versions } = await unwrap(api.GET("/api/policy/versions", { params: { query: { limit } } }))
  return versions ?? []
}

/** Puts a document in force, and confirms that the accounts of some links go to other ids. A conflict: somebody else changed it meanwhile. Invalid: every fault is named. */
export const writePolicy = async (text: string, version: number, transfer: string[]) => policyOf(await unwrap(api.PUT("/api/policy", { body: { text, version, transfer } })))

/** A name of identityLinks with its account and the ids that have used it. */
export type IdentityLink = Omit<components["schemas"]["IdentityLink"], "ids"> & { ids: string[] }

const linkOf = (link: components["schemas"]["IdentityLink"]): IdentityLink => ({ ...link, ids: link.ids ?? [] })

export async function listIdentityLinks(): Promise<IdentityLink[]> {
  const { links } = await unwrap(api.GET("/api/policy/links"))
  return (links ?? []).map(linkOf)
}

/** Takes the account from a name: its ids begin another one. */
export const removeIdentityLink = (name: string) => unwrap(api.DELETE("/api/policy/links", { params: { query: { name } } }))

/** What is wrong with a document, and what is worth knowing. */
export interface PolicyCheck {
  errors: string[]
  notes: string[]
  /** Links whose account goes to other ids: an administrator has to confirm that. */
  transfers: IdentityLink[]
}

export async function checkPolicy(text: string, transfer: string[]): Promise<PolicyCheck> {
  const answer = await unwrap(api.POST("/api/policy/check", { body: { text, transfer } }))
  return { errors: answer.errors ?? [], notes: answer.notes ?? [], transfers: (answer.transfers ?? []).map(linkOf) }
}

/** Somebody on a platform; what is not known is empty. */
export interface Peer {
  channel: string
  account: string
  peer: string
  name: string
}

type Named<T extends Partial<Peer>> = Omit<T, keyof Peer> & Peer

const named = <T extends Partial<Peer> & Pick<Peer, "channel" | "peer">>(peer: T): Named<T> => ({ ...peer, account: peer.account ?? "", name: peer.name ?? "" })

/** Somebody who wrote for the first time and waits to be let in. */
export type Pairing = Named<components["schemas"]["Pairing"]>

export async function listPairings(): Promise<Pairing[]> {
  const { pairings } = await unwrap(api.GET("/api/pairings"))
  return (pairings ?? []).map(named)
}

export const answerPairing = (code: string, approve: boolean) => unwrap(api.POST("/api/pairings/{code}", { params: { path: { code } }, body: { approve } }))

/** Somebody who was let in. */
export type Grant = Named<components["schemas"]["Grant"]>

export async function listGrants(): Promise<Grant[]> {
  const { grants } = await unwrap(api.GET("/api/access-grants"))
  return (grants ?? []).map(named)
}

export const revokeGrant = ({ channel, account, peer }: Peer) => unwrap(api.DELETE("/api/access-grants", { params: { query: { channel, account, peer } } }))

/** Makes a code by which the person shows on another channel who they are. */
export const createLinkCode = () => unwrap(api.POST("/api/link"))

/** What may run at once, and what does. */
export type Limits = Omit<components["schemas"]["Limits"], "llm" | "turns"> & { turns: TenantTurns[]; llm: TenantCalls[] }
export type LimitNumbers = components["schemas"]["LimitNumbers"]
export type TenantTurns = components["schemas"]["TenantTurns"]
export type TenantCalls = components["schemas"]["TenantCalls"]

const limitsOf = (answer: components["schemas"]["Limits"]): Limits => ({ ...answer, turns: answer.turns ?? [], llm: answer.llm ?? [] })

export const readLimits = async (): Promise<Limits> => limitsOf(await unwrap(api.GET("/api/limits")))

/** Puts limits in force, in a new version of the policy. */
export const setLimits = async (body: components["schemas"]["NewLimits"]): Promise<Limits> => limitsOf(await unwrap(api.PUT("/api/limits", { body })))

/** What the person is known as on other channels. */
export type Identity = components["schemas"]["Identity"]

export async function listIdentities(): Promise<Identity[]> {
  const { identities } = await unwrap(api.GET("/api/me/identities"))
  return identities ?? []
}

/** Makes an identity an account of its own again. */
export const unlinkIdentity = ({ channel, account, peer }: Identity) => unwrap(api.DELETE("/api/me/identities", { params: { query: { channel, account, peer } } }))

/** What the person is told of their long turns on a platform, and where they can be told. */
export type TurnNotices = components["schemas"]["TurnNoticesBody"]
export type DirectChat = components["schemas"]["DirectChat"]

const noticesOf = (answer: TurnNotices) => ({ ...answer, chats: answer.chats ?? [] })

export const readTurnNotices = async () => noticesOf(await unwrap(api.GET("/api/me/turn-notices")))

export const setTurnNotices = async (body: components["schemas"]["TurnNotices"]) => noticesOf(await unwrap(api.PUT("/api/me/turn-notices", { body })))
