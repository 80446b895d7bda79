// What the mock's model wants the page to show, by the tool tui_control.
import { setTimeout as sleep } from "node:timers/promises"

const waiting = new Map()

/** Asks the page that the turn's message came from, again and again, until it has answered or four seconds are over. */
export async function askPage(session, turn, call) {
  const said = session.messages.findLast(({ role, turn_id }) => role === "user" && turn_id === turn)
  const client = said?.client_message_id.includes(".") ? said.client_message_id.split(".")[0] : ""
  const { action, what, value } = JSON.parse(call.arguments)
  let answer
  waiting.set(call.id, { client, taken: false, tell: (body) => (answer = body) })
  for (let n = 0; n < 40 && !answer; n++) {
    if (client !== "" && n % 10 === 0) session.events.emit("event", { kind: "action", to: client, data: { call_id: call.id, action, what, value } })
    await sleep(100)
  }
  waiting.delete(call.id)
  if (answer?.outcome === "done") return { result: "Done." }
  return { result: answer ? `the client refused: ${answer.reason}` : "no page or terminal of the user shows this conversation now", is_error: true }
}

/** Takes what a page says to an action; the HTTP status. */
export function answerAction(call, body) {
  const asked = waiting.get(call)
  if (!asked) return 409
  if (asked.client !== body.client) return 404
  if (asked.taken === (body.outcome === "taking")) return 409
  if (body.outcome === "taking") asked.taken = true
  else asked.tell(body)
  return 204
}
