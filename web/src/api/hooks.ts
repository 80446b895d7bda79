// The calls of administrators about hooks and what they have deferred.
import { api, unwrap } from "./client"
import type { components } from "./schema"

export type Hook = components["schemas"]["HookBody"]
export type HookFault = components["schemas"]["Fault"]
export type DeferredCall = components["schemas"]["DeferredCall"]

/** The hooks as the server reads them, what is wrong with their file, and calls that wait, the longest first. */
export async function listHooks() {
  const { hooks, faults, deferred } = await unwrap(api.GET("/api/hooks"))
  return { hooks: hooks ?? [], faults: faults ?? [], deferred: deferred ?? [] }
}

export const decideDeferred = (id: string, decision: "allow" | "deny", note?: string) =>
  unwrap(api.POST("/api/hooks/deferred/{call_id}", { params: { path: { call_id: id } }, body: { decision, note } }))
