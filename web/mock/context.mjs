// What the mock knows of the context of a conversation: how full it is, what was offloaded and compacted, and what a step
// was sent. The numbers are made up from the texts; the shapes are those of the server.
import { createHash, randomUUID } from "node:crypto"

import { HttpProblem } from "./http.mjs"
import { Session } from "./session.mjs"

const WINDOW = 200_000
const SYSTEM = "You are xbot, an agent that works with tools.\n\n## How you work\n\nSay what you will do, do it, and say what came of it.\n"
/** Bytes from which on a result is shown to the model as a summary. */
const LARGE = 10_240
/** Tokens that the descriptions of the tools take. */
const TOOLS = 600

const tokensOf = (text) => Math.ceil(Buffer.byteLength(text ?? "") / 4)
const short = (n) => (n < 1000 ? String(n) : `${Math.round(n / 1000)} k`)

/** The context of one session. */
export class Context {
  mode = "default"
  max = WINDOW
  masks = 0
  stale = 0
  edits = 0
  compactions = []
  #session
  #whole = new Map()

  constructor(session) {
    this.#session = session
  }

  /** What the last request and its answer took; less after a compaction that came later. */
  get used() {
    const answer = this.#session.messages.findLast((message) => message.role === "assistant" && message.usage)
    const compaction = this.compactions.at(-1)
    if (compaction && (!answer || answer.id < compaction.upto)) return compaction.tokens_after
    return answer ? answer.usage.prompt_tokens + answer.usage.completion_tokens : 0
  }

  view() {
    const { mode, max, used, masks, stale, edits } = this
    const { messages } = this.#session
    const calls = messages.flatMap((message) => message.tool_calls ?? [])
    const counted = (texts) => ({ count: texts.length, bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ""), 0), tokens: texts.reduce((sum, text) => sum + tokensOf(text), 0) })
    const of = (role) => counted(messages.filter((message) => message.role === role && message.origin !== "command").map((message) => message.content))
    const parts = [{ key: "base", bytes: Buffer.byteLength(SYSTEM), tokens: tokensOf(SYSTEM) }]
    const known = { user: of("user"), assistant: of("assistant"), tool: counted(calls.map((call) => call.result)) }
    const rest = Math.max(0, used - known.user.tokens - known.assistant.tokens - known.tool.tokens - TOOLS - parts[0].tokens)
    known.tool.tokens += calls.length > 0 ? rest : 0
    known.assistant.tokens += calls.length > 0 ? 0 : rest
    return {
      model: "mock/scripted", mode, max_context: max, max_output: 16_000, used, source: used > 0 ? "provider" : "estimate",
      mask_at: mode === "none" ? 0 : max * 0.6, compress_at: mode === "none" ? 0 : max * 0.75,
      parts, tools: { count: this.#tools().length, tokens: TOOLS, list: this.#tools().map(({ name }) => ({ name, bytes: 340, tokens: 85 })) }, messages: known,
      offloads: this.#whole.size, masks, stale, edits, compactions: this.compactions.map((compaction, n) => ({ ...compaction, active: n === this.compactions.length - 1 })),
    }
  }

  /** A result as the model sees it: large ones as a summary, the whole kept beside it. */
  offload(call, result) {
    if (Buffer.byteLength(result) < LARGE) return { result }
    this.#whole.set(call.id, result)
    const id = `ol_${createHash("sha256").update(call.id).digest("hex").slice(0, 10)}`
    const lines = result.split("\n")
    const size = `${(Buffer.byteLength(result) / 1000).toFixed(0)} kB`
    const shown = [...lines.slice(0, 3), "…", ...lines.slice(-3)].map((line) => line.slice(0, 200))
    return { offload: id, result: `📂 [offload:${id}] ${call.name}, ${lines.length} lines, ${size}\n${shown.join("\n")}\nRecall with offload_recall {"id":"${id}"}.` }
  }

  whole(id) {
    const call = this.#session.messages.flatMap((message) => message.tool_calls ?? []).find((candidate) => candidate.id === id)
    if (!call) throw new HttpProblem(404, "There is no such call in this conversation.")
    return this.#whole.get(id) ?? call.result ?? ""
  }

  /** Puts what was said so far into a summary and says so. */
  compact({ trigger, focus, turn, inbox_id }) {
    const before = Math.max(this.used, 12_000)
    const after = Math.max(900, Math.round(before * 0.07))
    const last = this.#session.append({
      role: "notice", origin: "context", turn_id: turn, inbox_id, content: `Context compacted: ${short(before)} → ${short(after)} tokens.`,
    })
    const asked = this.#session.messages.filter((message) => message.role === "user" && !message.origin).map((message) => `* ${message.content.split("\n")[0]}`)
    this.compactions.push({
      id: this.compactions.length + 1, created_at: last.created_at, trigger, method: "model", focus: focus || undefined,
      tokens_before: before, tokens_after: after, upto: last.id,
      summary: `## Goal\n\nWhat was asked so far:\n\n${asked.join("\n")}\n\n## Recallable\n\n* \`ol_5f2c9e01ab\``,
    })
  }

  /** What a step was sent. */
  request(turn, step) {
    const upto = this.#session.messages.find((message) => message.role === "assistant" && message.turn_id === turn && message.step === step)
    if (!upto) throw new HttpProblem(404, "There is no such step in this conversation.")
    const before = this.#session.messages.filter((message) => message.id < upto.id && message.role !== "notice" && message.origin !== "command")
    const messages = before.flatMap(sent)
    const compaction = this.compactions.findLast((candidate) => candidate.upto < upto.id)
    if (compaction) messages.unshift({ role: "user", content: `[Compacted context]\n\n${compaction.summary}` })
    const body = JSON.stringify(messages)
    return {
      hash: createHash("sha256").update(body).digest("hex"), exact: step % 3 !== 2, system: SYSTEM, tools: this.#tools(), messages,
      reminder: "[System reminder]\nAnswer in the language of the last message.", estimated_tokens: tokensOf(body) + TOOLS, prompt_tokens: upto.usage?.prompt_tokens ?? 0,
    }
  }

  #tools() {
    const text = { type: "string" }
    return ["Shell", "Read", "Grep", "FileCreate", "FileReplace", "offload_recall", "todo_write"].map((name) => ({
      name, description: `${name} of the mock.`, parameters: { type: "object", properties: { input: text }, required: ["input"] },
    }))
  }
}

function sent({ role, content, tool_calls: calls }) {
  const asked = calls?.map(({ id, name, arguments: given }) => ({ id, name, arguments: given }))
  const answers = (calls ?? []).map((call) => ({ role: "tool", content: call.result ?? "", tool_call_id: call.id }))
  return [{ role, content, ...(asked ? { tool_calls: asked } : {}) }, ...answers]
}

/** A copy of a conversation up to the end of the turn of a message, or of all of it. */
export function forkOf(session, messageId) {
  const chosen = messageId === undefined ? session.messages.at(-1) : session.messages.find((message) => message.id === messageId)
  if (!chosen) throw new HttpProblem(404, "There is no such message in this conversation.")
  const last = session.messages.findLast((message) => message.id === chosen.id || (chosen.turn_id && message.turn_id === chosen.turn_id))
  const ids = new Map()
  const renamed = (id) => (id === undefined ? undefined : (ids.get(id) ?? ids.set(id, randomUUID()).get(id)))
  const { channel, cwd, runner } = session
  const copy = new Session(`agent:main:web:thread:${randomUUID().replaceAll("-", "").slice(0, 20)}`, { channel, cwd, runner, title: `${session.title} (fork)`, fork_of: session.key })
  for (const { turn_id: turn, tool_calls: calls, ...rest } of session.messages.filter((message) => message.id <= last.id)) {
    const own = calls?.map((call) => ({ ...call, id: call.id.replace(turn, renamed(turn)) }))
    copy.append({ ...rest, id: undefined, turn_id: renamed(turn), tool_calls: own, session: copy.key })
  }
  copy.turns = session.turns.filter(({ id, state }) => ids.has(id) && state !== "running").map((turn) => ({ ...turn, id: ids.get(turn.id), session: copy.key }))
  copy.todos = structuredClone(session.todos)
  return copy
}
