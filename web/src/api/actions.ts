// The call that says what became of an action.
import { clientId } from "../lib/ids"
import { api, unwrap } from "./client"

/** Why this tab does not carry an action out. */
export type Refusal = "not_supported" | "not_found" | "not_now"

/** Says what became of what a call of a model wanted to show. Throws a Problem: when it was too late, or the server is away. */
export const answerAction = (key: string, call: string, refused?: Refusal) =>
  unwrap(
    api.POST("/api/sessions/{key}/actions/{call_id}", {
      params: { path: { key, call_id: call } },
      body: { client: clientId, outcome: refused ? "refused" : "done", ...(refused && { reason: refused }) },
    }),
  )
