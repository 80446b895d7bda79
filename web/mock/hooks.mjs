// Hooks of the installation, and a call that one of them has left to an administrator.
import { HttpProblem } from "./http.mjs"

const now = () => new Date().toISOString()

export class Hooks {
  #waiting = []

  /** A running turn of a conversation waits for an administrator. */
  defer(session, { name, args, reason, asked_at = now() }) {
    const id = `d${session.key.slice(-6)}`
    const call = { id: `${id}.0.0`, name, class: "exec", arguments: JSON.stringify(args), summary: Object.values(args)[0], state: "open", approval: { state: "open", deferred: true, reason, asked_at } }
    const turn = { id, session: session.key, run_id: `run-${id}`, state: "running", steps: 1, model: "mock/scripted", usage: { prompt_tokens: 1840, completion_tokens: 60 }, started_at: asked_at }
    session.append({ role: "user", turn_id: id, content: "Please push the release.", inbox_id: 9400 + this.#waiting.length, created_at: asked_at })
    session.turns.unshift(turn)
    session.running = id
    session.tell("turn", turn)
    session.append({ role: "assistant", turn_id: id, content: "The tests pass. I will push it.", tool_calls: [call], model: "mock/scripted", finish_reason: "tool_calls", created_at: asked_at })
    this.#waiting.push({ call, turn, session })
  }

  answer(method, path, body) {
    if (method === "GET") return [200, path.endsWith("/deferred") ? { deferred: this.#deferred } : { hooks, faults, deferred: this.#deferred }]
    const id = decodeURIComponent(path.split("/").at(-1))
    const found = this.#waiting.find(({ call }) => call.id === id)
    if (!found) throw new HttpProblem(409, "This call was decided before, or its turn has ended.")
    this.#waiting = this.#waiting.filter((other) => other !== found)
    return [200, decide(found, body)]
  }

  get #deferred() {
    return this.#waiting.map(({ call, session }) => ({ ...call, session: session.key, owner: "admin" }))
  }
}

/** Carries a decision out: the call runs or not, and the turn goes on to its end. */
function decide({ call, turn, session }, { decision, note }) {
  const allowed = decision === "allow"
  Object.assign(call.approval, { state: allowed ? "allowed" : "denied", note: note || undefined, answered_at: now(), answered_by: "admin" })
  Object.assign(call, { state: "done", is_error: !allowed, result: allowed ? "Everything up-to-date\n" : "An administrator denied this call.", started_at: now(), finished_at: now() })
  session.tell("tool", { turn_id: turn.id, step: 0, ...call })
  session.append({ role: "assistant", turn_id: turn.id, step: 1, content: allowed ? "It is pushed." : "I did not push it.", model: "mock/scripted", finish_reason: "stop" })
  Object.assign(turn, { state: "done", steps: 2, ended_at: now() })
  session.running = ""
  session.tell("turn", turn)
  return call
}

const source = "/srv/xbot/hooks.json"
const hooks = [
  { event: "PreToolUse", kind: "command", label: "command: ./.xbot/check.sh", source, place: "hooks.PreToolUse[0].hooks[0]" },
  { event: "UserPromptSubmit", kind: "http", label: "POST https://policy.example/prompt", source, place: "hooks.UserPromptSubmit[0].hooks[0]" },
  { event: "PostToolUse", kind: "callback", label: "callback: timing", source, place: "hooks.PostToolUse[0].hooks[0]", async: true },
]
const faults = [{ source, place: "hooks.PreToolUse[1].matcher", event: "PreToolUse", text: "the matcher is no regular expression: missing closing )" }]
