// The calls about ratings of replies.
import { api, unwrap } from "./client"
import type { components } from "./schema"

export type Rating = components["schemas"]["Rating"]

/** Those of the user in a conversation. */
export async function listRatings(key: string): Promise<Rating[]> {
  const { ratings } = await unwrap(api.GET("/api/sessions/{key}/ratings", { params: { path: { key } } }))
  return ratings ?? []
}

export const rateReply = (key: string, id: number, helpful: boolean, comment: string) =>
  unwrap(api.PUT("/api/sessions/{key}/messages/{id}/rating", { params: { path: { key, id } }, body: { helpful, comment } }))

export const removeRating = (key: string, id: number) => unwrap(api.DELETE("/api/sessions/{key}/messages/{id}/rating", { params: { path: { key, id } } }))
