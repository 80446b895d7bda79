// The calls about what other programs may call.
import { api, unwrap } from "./client"
import type { components } from "./schema"

export type Trigger = components["schemas"]["Trigger"]
export type Fire = components["schemas"]["Fire"]
export type TriggerDraft = Omit<components["schemas"]["TriggerDraft"], "$schema">
export type MadeTrigger = components["schemas"]["Made"]

const at = (id: string) => ({ params: { path: { id } } })

export async function listTriggers(): Promise<Trigger[]> {
  const { triggers } = await unwrap(api.GET("/api/triggers"))
  return triggers ?? []
}

/** Makes a trigger; its secret is in the answer and never seen again. */
export const addTrigger = (draft: TriggerDraft) => unwrap(api.POST("/api/triggers", { body: draft }))

/** Replaces what can be changed of a trigger. */
export const changeTrigger = (id: string, draft: TriggerDraft) => unwrap(api.PUT("/api/triggers/{id}", { ...at(id), body: draft }))

/** Gives a trigger another secret, which is in the answer and never seen again. */
export const renewTrigger = (id: string) => unwrap(api.POST("/api/triggers/{id}/secret", at(id)))

export const deleteTrigger = (id: string) => unwrap(api.DELETE("/api/triggers/{id}", at(id)))

export async function listFires(id: string): Promise<Fire[]> {
  const { fires } = await unwrap(api.GET("/api/triggers/{id}/fires", at(id)))
  return fires ?? []
}
