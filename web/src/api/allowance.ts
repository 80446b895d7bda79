// Answers to more than one call at a time.
import { api, unwrap } from "./client"

/** Answers several calls; each answer counts or is refused by itself. Returns why the first refused one was, if one was. */
export async function answerApprovals(key: string, calls: string[], decision: "allow" | "deny"): Promise<string | undefined> {
  const answers = calls.map((call_id) => ({ call_id, decision }))
  const { results } = await unwrap(api.POST("/api/sessions/{key}/approvals", { params: { path: { key } }, body: { answers } }))
  return results?.find(({ status }) => status !== 200)?.detail
}

/** Allows everything until a turn ends, or takes that back. */
export const allowTurn = (key: string, turn: string, allow: boolean) => {
  const params = { path: { key, turn } }
  return unwrap(allow ? api.PUT("/api/sessions/{key}/turns/{turn}/allowance", { params }) : api.DELETE("/api/sessions/{key}/turns/{turn}/allowance", { params }))
}
