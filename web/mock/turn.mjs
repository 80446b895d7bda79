// Runs the turns of a session one after another, telling the feed what the real server would tell.
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"

import { resolveModel } from "./routing.mjs"
import { stepsOf } from "./program.mjs"
import { askPage } from "./actions.mjs"
import { answerTo, isWalled, planOf, todosOf } from "./plans.mjs"
import { questionsOf, resultOf } from "./inquiries.mjs"
import { runTool, summaryOf } from "./tools.mjs"

const MODEL = "mock/scripted"
const now = () => new Date().toISOString()

/** `world.epoch` grows and `world.back()` waits whenever the mock plays that its server was killed. */
export class Turns {
  #world
  #session
  #stopping

  constructor(world, session) {
    this.#world = world
    this.#session = session
  }

  /** Starts a turn if messages wait and none runs. */
  wake() {
    if (this.#session.running || this.#session.queued.length === 0) return
    void this.#run().then(() => this.wake())
  }

  /** Stops what runs for a message that comes next. */
  interrupt() {
    this.#stopping?.abort()
  }

  stop() {
    const session = this.#session
    const stopped = session.running
    const dropped = session.queued.filter((entry) => !entry.origin)
    session.queued = session.queued.filter((entry) => entry.origin)
    for (const entry of dropped) {
      session.tell("dropped", { inbox_id: entry.inbox_id, outcome: "stopped", text: "You stopped the turn before this message had one." })
    }
    this.#stopping?.abort()
    return { stopped: stopped ?? "", queued: dropped.length }
  }

  async #run() {
    const session = this.#session
    const stopping = new AbortController()
    this.#stopping = stopping
    const id = randomUUID()
    const turn = { id, session: session.key, run_id: randomUUID(), state: "running", steps: 0, model: MODEL, usage: { prompt_tokens: 0, completion_tokens: 0 }, started_at: now() }
    turn.temporal_url = `/temporal/namespaces/default/workflows/${encodeURIComponent(`turn/${session.key}`)}/${id}/history`
    session.running = id
    session.turns.unshift(turn)
    const [claimed, ...burst] = this.#claim()
    for (const entry of [claimed, ...burst]) session.take(id, entry)
    session.tell("turn", turn)
    if (claimed.control) await this.#control(turn, claimed)
    turn.model = session.model || MODEL
    const state = claimed.control ? "done" : await this.#steps(turn, stepsOf(claimed.origin ? "say I have seen that the task ended." : claimed.text), stopping.signal)
    session.running = ""
    Object.assign(turn, { state, ended_at: now() })
    session.tell("turn", turn)
    if (state === "done" && session.turns.length === 1) void this.#name(claimed.text)
  }

  /** A model names the conversation, unless a person does so meanwhile. */
  async #name(text) {
    const session = this.#session
    const [, title] = /^# title (.+)$/m.exec(text) ?? []
    if (!title || !this.#world.titles.model) return
    const { title: before } = session
    await sleep(500)
    if (session.title !== before) return
    session.title = title
    session.tell("session", session.view())
  }

  /** What is next: one message, or a burst that is answered together. */
  #claim() {
    const session = this.#session
    const first = session.queued.shift()
    const burst = []
    while (first.mode === "collect" && session.queued[0]?.mode === "collect") burst.push(session.queued.shift())
    return [first, ...burst]
  }

  /** Messages that are to reach the turn on its way are there: calls that have not begun are skipped. */
  #steers() {
    return this.#session.queued[0]?.mode === "steer"
  }

  #steer(turn, n, calls) {
    const session = this.#session
    if (!this.#steers()) return false
    for (const call of calls.filter(({ state }) => state === "open")) {
      Object.assign(call, { state: "done", is_error: true, result: "Not run: skipped to process an incoming message." })
      session.tell("tool", { turn_id: turn.id, step: n, ...call })
    }
    const taken = []
    while (this.#steers()) taken.push(session.queued.shift())
    for (const entry of taken) session.take(turn.id, entry)
    return taken.map(({ text }) => text).join("\n")
  }

  /** Carries out a command that has waited for its place. */
  async #control(turn, { text, inbox_id }) {
    const session = this.#session
    const [name, ...rest] = text.slice(1).split(/\s+/)
    let said
    if (name === "new" || name === "reset") {
      const model = resolveModel(rest[0])
      if (model) session.model = model
      session.reset(turn.id, "new", "New conversation.")
      session.tell("session", session.view())
      const words = rest.slice(model ? 1 : 0).join(" ")
      if (words) session.accept(`${turn.id}#text`, words)
      else said = `What shall we do? Answers come from ${session.model || MODEL}.`
    } else if (name === "model") {
      session.model = rest[0] === "default" ? "" : (resolveModel(rest[0]) ?? session.model)
      session.tell("session", session.view())
      said = `Answers come from ${session.model || MODEL}.`
    } else if (name === "rewind") {
      const from = Number(/^m(\d+)$/.exec(rest[0] ?? "")?.[1] ?? session.messages.findLast((message) => message.role === "user" && !message.origin)?.id)
      if (session.messages.some((message) => message.id === from)) session.rewind(from)
      said = "The conversation was rewound. Files and commands are not undone."
    } else {
      await sleep(900)
      session.context.compact({ trigger: "manual", focus: rest.join(" "), turn: turn.id, inbox_id })
      return
    }
    if (said) session.append({ role: "notice", origin: "command", turn_id: turn.id, inbox_id, content: said })
  }

  async #steps(turn, program, signal) {
    const steps = [...program]
    for (let n = 0; n < steps.length; n++) {
      const step = steps[n]
      turn.steps++
      if (step.compress) await this.#compress(turn, n)
      const said = await this.#generate(turn, n, step, signal)
      if (said === "failed" || signal.aborted) return signal.aborted ? "stopped" : "failed"
      for (const calls of together(said.tool_calls ?? [])) {
        if (this.#steers()) break
        await Promise.all(calls.map((call) => this.#tool(turn, n, call, signal)))
      }
      if (signal.aborted) return "stopped"
      const steered = this.#steer(turn, n, said.tool_calls ?? [])
      if (steered) steps.splice(n + 1, Infinity, ...stepsOf(steered))
    }
    return "done"
  }

  async #compress(turn, n) {
    this.#session.whisper("delta", { turn_id: turn.id, step: n, attempt: 0, offset: 0, reasoning_offset: 0, doing: "compress" })
    await sleep(900)
    this.#session.context.compact({ trigger: "auto", turn: turn.id })
  }

  /** One model call with its retries and restarts. Returns the committed message. */
  async #generate(turn, n, step, signal) {
    const session = this.#session
    for (let attempt = 1; ; attempt++) {
      if (attempt <= step.fail) {
        if (attempt === 5) {
          session.append({ role: "notice", turn_id: turn.id, content: "⚠️ The model did not answer: server error (503). Five attempts failed; try again later." })
          return "failed"
        }
        const text = `⚠️ The model did not answer: server error (503). Retrying ${attempt + 1}/5.`
        session.tell("retry", { turn_id: turn.id, step: n, attempt: attempt + 1, max: 5, delay_ms: 1500, reason: "server error", text })
        await sleep(1500, undefined, { signal }).catch(() => undefined)
        if (signal.aborted) return this.#commit(turn, n, step, "", "stopped")
        continue
      }
      const epoch = this.#world.epoch
      const text = await this.#stream(turn, n, step, attempt, signal)
      if (epoch !== this.#world.epoch) {
        await this.#world.back()
        continue
      }
      return this.#commit(turn, n, step, text, signal.aborted ? "stopped" : step.calls.length > 0 ? "tool_calls" : "stop")
    }
  }

  /** Tells the text in pieces. Returns what was told before the end or a stop. */
  async #stream(turn, n, step, attempt, signal) {
    const base = { turn_id: turn.id, step: n, attempt }
    const epoch = this.#world.epoch
    const over = () => signal.aborted || epoch !== this.#world.epoch
    const told = { reasoning: "", text: "" }
    const tell = async (kind, pieces, gap) => {
      for (const piece of pieces) {
        await sleep(gap, undefined, { signal }).catch(() => undefined)
        if (over()) return
        const offsets = { offset: Buffer.byteLength(told.text), reasoning_offset: Buffer.byteLength(told.reasoning) }
        this.#session.whisper("delta", { ...base, ...offsets, [kind]: piece })
        told[kind] += piece
      }
    }
    await sleep(step.delay || 120, undefined, { signal }).catch(() => undefined)
    await tell("reasoning", pieces(step.reasoning), 30)
    await tell("text", pieces(step.text, step.chunks), step.gap || 25)
    for (const call of step.calls) {
      if (!over()) this.#session.whisper("delta", { ...base, offset: Buffer.byteLength(told.text), reasoning_offset: Buffer.byteLength(told.reasoning), tool_name: call.name })
    }
    while (step.hang && !over()) await sleep(50)
    return told.text
  }

  #commit(turn, n, step, text, finish) {
    const stopped = finish === "stopped"
    const [prompt, completion, cached] = step.usage ?? [820 + 140 * n, 12 + Math.ceil(text.length / 4), 512]
    const usage = { prompt_tokens: prompt, completion_tokens: completion, cached_tokens: cached ?? 0 }
    for (const key of Object.keys(usage)) turn.usage[key] = (turn.usage[key] ?? 0) + usage[key]
    const calls = stopped ? [] : step.calls.map((call, i) => ({ id: `${turn.id}.${n}.${i}`, ...call, class: "exec", state: "open", summary: summaryOf(call) }))
    return this.#session.append({
      silent: text.trim() === "[[silent]]" || undefined,
      role: "assistant",
      turn_id: turn.id,
      step: n,
      content: text,
      reasoning: step.reasoning || undefined,
      tool_calls: calls.length > 0 ? calls : undefined,
      model: MODEL,
      finish_reason: finish,
      usage,
    })
  }

  /** What the model is told when a call may not run; undefined when it may. */
  async #permitted(call, signal, told) {
    const rule = this.#world.permissions.ruleOf(call, this.#session.preset)
    if (rule === "allow") return undefined
    if (rule === "deny") return "The user does not allow this tool."
    const { state, note } = await this.#session.approvals.ask(call, argumentsOf(call).reason, signal, told)
    if (state === "allowed") return undefined
    return state === "void" ? "interrupted" : `The user denied this call${note ? `: ${note}` : "."}`
  }

  /** Asks the person and answers the call with what they said. */
  async #inquire(call, questions, signal, told) {
    const { state, note, answers } = await this.#session.approvals.ask(call, undefined, signal, told, questions)
    const declined = state === "void" ? "Not answered: the user stopped the turn while the question was open." : `The user declined to answer${note ? `: ${note}` : ""}.`
    told({ state: "done", finished_at: now(), result: state === "allowed" ? resultOf(questions, answers) : declined })
  }

  /** Shows a plan and answers the call with what was decided; the steps become the to-do list. */
  async #propose(turn, call, plan, signal, told) {
    const session = this.#session
    const approval = await session.approvals.ask(call, undefined, signal, told, undefined, plan)
    told({ state: "done", finished_at: now(), result: answerTo(approval, approval.plan) })
    if (approval.state !== "allowed") return
    turn.plan = "approved"
    session.todos = todosOf(approval.plan)
    session.tell("todos", session.todos)
  }

  async #tool(turn, n, call, signal) {
    const session = this.#session
    const told = (more) => {
      Object.assign(call, more)
      session.tell("tool", { turn_id: turn.id, step: n, ...call })
    }
    if (signal.aborted) return told({ state: "done", result: "interrupted", is_error: true })
    const questions = questionsOf(call)
    if (questions) return this.#inquire(call, questions, signal, told)
    const plan = planOf(call)
    if (plan) return this.#propose(turn, call, plan, signal, told)
    if (session.plan && turn.plan !== "approved" && isWalled(call)) return told({ state: "done", result: "Not run: the user wants to approve a plan first.", is_error: true })
    const denied = await this.#permitted(call, signal, told)
    if (denied) return told({ state: "done", result: denied, is_error: true })
    const { command, background } = argumentsOf(call)
    if (call.name === "Shell" && background) {
      told({ state: "running", started_at: now() })
      const task = session.tasks.start(turn, call, command)
      return told({ state: "done", finished_at: now(), task: task.id, result: `The command goes on as background task ${task.id}.` })
    }
    told({ state: "running", started_at: now() })
    const output = (offset, text) => session.whisper("output", { turn_id: turn.id, call_id: call.id, offset, text })
    const { todos, ...result } = call.name === "tui_control" ? await askPage(session, turn.id, call) : await runTool(call, signal, output)
    await this.#world.back()
    told({ state: "done", finished_at: now(), ...result, ...session.context.offload(call, result.result) })
    if (todos) {
      session.todos = todos
      session.tell("todos", todos)
    }
  }
}

/** Neighbouring calls that only read run together. */
function together(calls) {
  const out = []
  for (const call of calls) {
    if (call.name === "Read" && out.at(-1)?.[0].name === "Read") out.at(-1).push(call)
    else out.push([call])
  }
  return out
}

function argumentsOf(call) {
  try {
    return JSON.parse(call.arguments)
  } catch {
    return {}
  }
}

/** A text in pieces: as many as asked for, else a few characters each. */
function pieces(text, count = 0) {
  const size = Math.max(1, count > 0 ? Math.ceil(text.length / count) : 12)
  const letters = Array.from(text)
  const parts = []
  for (let at = 0; at < letters.length; at += size) parts.push(letters.slice(at, at + size).join(""))
  return parts
}
