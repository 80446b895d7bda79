// The conversations of others, which administrators may delete.
import { api, unwrap } from "./client"
import type { components } from "./schema"

export type OtherSession = components["schemas"]["SessionSummary"]

/** Conversations on one page. */
const LIMIT = 100

/** One page of the conversations of all users, newest first. */
export const inspectSessions = (after: string) => unwrap(api.GET("/api/inspect/sessions", { params: { query: { limit: LIMIT, after: after || undefined } } }))
