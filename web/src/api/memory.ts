// The calls of a person about what is remembered of them.
import { api, unwrap } from "./client"
import type { components } from "./schema"

export type Remembered = components["schemas"]["Remembered"]
export type MemorizeNote = components["schemas"]["MemorizeNote"]
export type Profile = components["schemas"]["UserProfile"]
export type ProfileVersion = components["schemas"]["ProfileVersion"]

export interface MemoryLook {
  items: Remembered[]
  names: string[]
  jobs: MemorizeNote[]
  archived: number
  /** Whether conversations that end are put into memory. */
  memorize: boolean
  /** Whether soul files are read or written by the agent. */
  soul: boolean
}

export async function readMemory(agent: string): Promise<MemoryLook> {
  const { items, names, jobs, archived, switches } = await unwrap(api.GET("/api/memory", { params: { query: { agent } } }))
  return { items: items ?? [], names: names ?? [], jobs: jobs ?? [], archived, memorize: switches.memorize, soul: switches.soul_read || switches.soul_write || switches.subagent_soul_write }
}

export async function searchMemory(agent: string, q: string): Promise<Remembered[]> {
  return (await unwrap(api.GET("/api/memory/search", { params: { query: { agent, q } } }))).items ?? []
}

export async function editMemory(agent: string, id: string, was: string, content: string): Promise<void> {
  await unwrap(api.PUT("/api/memory", { params: { query: { agent } }, body: { id, was, content } }))
}

export async function forgetMemory(agent: string, items: Remembered[]): Promise<void> {
  await unwrap(api.POST("/api/memory/forget", { params: { query: { agent } }, body: { items } }))
}

export async function readProfile(): Promise<Profile> {
  return unwrap(api.GET("/api/profile"))
}

export async function setProfile({ content, timezone, revision }: Profile): Promise<Profile> {
  return unwrap(api.PUT("/api/profile", { body: { content, timezone, revision } }))
}

/** The newest first, without their texts. */
export async function listProfileVersions(): Promise<ProfileVersion[]> {
  return (await unwrap(api.GET("/api/profile/versions"))).versions ?? []
}

export const readProfileVersion = (version: number): Promise<ProfileVersion> => unwrap(api.GET("/api/profile/versions/{version}", { params: { path: { version } } }))

export const deleteProfileVersion = (version: number) => unwrap(api.DELETE("/api/profile/versions/{version}", { params: { path: { version } } }))

/** Has an earlier version again. A conflict: the profile is no longer the version that is said to be there. */
export const rollProfileBack = (to: number, version: number): Promise<Profile> => unwrap(api.POST("/api/profile/rollback", { body: { to, version } }))
