// The calls about collectors that traces of turns are exported to, and about ratings of all users.
import { api, unwrap } from "./client"
import type { components } from "./schema"

type Schemas = components["schemas"]

export type TraceTarget = Schemas["TraceTarget"]
export type TraceTargetDraft = Schemas["TraceTargetDraft"]
export type TraceTargetTested = Schemas["TraceTargetTested"]
export type TargetName = TraceTarget["name"]

export async function listTraceTargets(): Promise<TraceTarget[]> {
  const { targets } = await unwrap(api.GET("/api/tracing"))
  return targets ?? []
}

/** A conflict: it was changed meanwhile. */
export const saveTraceTarget = (target: TargetName, body: TraceTargetDraft): Promise<TraceTarget> => unwrap(api.PUT("/api/tracing/{target}", { params: { path: { target } }, body }))

export const deleteTraceTarget = (target: TargetName) => unwrap(api.DELETE("/api/tracing/{target}", { params: { path: { target } } }))

/** Exports one span and stores nothing. Half a minute at most. */
export const testTraceTarget = (target: TargetName, body: TraceTargetDraft): Promise<TraceTargetTested> =>
  unwrap(api.POST("/api/tracing/{target}/test", { params: { path: { target } }, body }))

export type ReceivedRating = Schemas["ReceivedRating"]

/** The newest of all users, for administrators. */
export async function listReceivedRatings(): Promise<ReceivedRating[]> {
  const { ratings } = await unwrap(api.GET("/api/ratings"))
  return ratings ?? []
}
