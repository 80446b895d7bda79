// The calls of a person about what is remembered of them.
import { api, unwrap } from "./client"
import type { components } from "./schema"

export type Remembered = components["schemas"]["Remembered"]
export type MemorizeNote = components["schemas"]["MemorizeNote"]

export interface MemoryLook {
  items: Remembered[]
  names: string[]
  jobs: MemorizeNote[]
  archived: number
}

export async function readMemory(agent: string): Promise<MemoryLook> {
  const { items, names, jobs, archived } = await unwrap(api.GET("/api/memory", { params: { query: { agent } } }))
  return { items: items ?? [], names: names ?? [], jobs: jobs ?? [], archived }
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
