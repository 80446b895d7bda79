// The call that says what became of an action.
import { clientId } from "../lib/ids"
import { api, unwrap } from "./client"

/** Why this tab does not carry an action out. */
export type Refusal = "not_supported" | "not_found" | "not_now"

const say = (key: string, call: string, body: { outcome: "taking" | "done" | "refused"; reason?: Refusal }) =>
  unwrap(api.POST("/api/sessions/{key}/actions/{call_id}", { params: { path: { key, call_id: call } }, body: { client: clientId, ...body } }))

/** Asks whether this tab is to carry an action out. Throws a Problem: when another copy of it does, when it is too late, or the server is away. */
export const takeAction = (key: string, call: string) => say(key, call, { outcome: "taking" })

/** Says what became of what a call of a model wanted to show. Throws a Problem: when it was too late, or the server is away. */
export const answerAction = (key: string, call: string, refused?: Refusal) =>
  say(key, call, { outcome: refused ? "refused" : "done", ...(refused && { reason: refused }) })
