import type { Call, ChatEvent, Message } from "../api/types"

/** What one answer of the model has told so far. A turn has several: tools run between them. */
export interface Step {
  thinking: string
  text: string
  calls: Call[]
  /** The text is whole. */
  closed: boolean
  /** A person wrote it. */
  person?: boolean
}

/** The part of a running turn that the messages do not hold yet. */
export interface Live {
  steps: Step[]
  /** Why nothing goes on at the moment. */
  waiting?: string
}

export const nothing: Live = { steps: [] }

const empty: Step = { thinking: "", text: "", calls: [], closed: false }

/** What a stream has told after an event more. An event that says nothing about the answer changes nothing. */
export function reduce(live: Live, event: ChatEvent): Live {
  switch (event.type) {
    case "token":
      return changeOpen(behindCalls(live), (step) => ({ ...step, text: step.text + event.content }))
    case "thinking":
      return changeOpen(behindCalls(live), (step) => ({ ...step, thinking: step.thinking + event.content }))
    case "message":
      return changeOpen(behindCalls(live), (step) => ({ ...step, thinking: event.reasoning || step.thinking, text: event.content, closed: true }))
    case "tool_call":
      return withCall(live, { id: event.id, name: event.name, args: textOf(event.args) })
    case "tool_call_chunk":
      return written(live, event)
    case "tool_result":
      return withCall(live, { id: event.id, name: event.name, args: "", result: textOf(event.content), ok: event.ok })
    case "restart":
      return withoutOpen(live)
    case "waiting":
      return { ...live, waiting: event.content }
    default:
      return live
  }
}

/** What is left of it when the connection broke: what was not whole is told again, or comes whole. Calls that began stay: their answer was whole. */
export const withoutOpen = (live: Live): Live => ({ steps: live.steps.filter((step) => step.closed || step.calls.some(begun)) })

/** Changes the step that is being written, which may be a new one. */
function changeOpen({ steps }: Live, change: (step: Step) => Step): Live {
  const last = steps.at(-1)
  if (last && !last.closed) return { steps: [...steps.slice(0, -1), change(last)] }
  return { steps: [...steps, change(empty)] }
}

const begun = ({ writing }: Call): boolean => !writing

/** The model writes before it calls: what it writes after calls that began is its next answer. */
const behindCalls = ({ steps }: Live): Live => ({ steps: steps.map((step) => (step.calls.some(begun) ? { ...step, closed: true } : step)) })

/** Notes a call, or what is new of one that is known. */
function withCall(live: Live, call: Call): Live {
  const known = live.steps.some((step) => step.calls.some(({ id }) => id === call.id))
  if (!known) return changeOpen(live, (step) => ({ ...step, calls: [...step.calls, call] }))
  return { steps: live.steps.map((step) => (step.calls.some(({ id }) => id === call.id) ? { ...step, calls: mergeCall(step.calls, call) } : step)) }
}

function mergeCall(calls: Call[], call: Call): Call[] {
  return calls.map((old) => (old.id === call.id ? { ...old, writing: undefined, ...call, name: call.name || old.name, args: call.args || old.args } : old))
}

/** Adds a piece of the arguments of a call. */
function written(live: Live, { id, name, args_delta }: Extract<ChatEvent, { type: "tool_call_chunk" }>): Live {
  const args = (live.steps.at(-1)?.calls.find((call) => call.id === id)?.args ?? "") + args_delta
  return withCall(args === args_delta ? behindCalls(live) : live, { id, name, args, writing: true })
}

/** The result of a call that a message has already; undefined: none of them has it. */
export function withResult(messages: Message[], event: ChatEvent): Message[] | undefined {
  if (event.type !== "tool_result" && event.type !== "tool_call") return undefined
  if (!messages.some((message) => message.tool_calls?.some(({ id }) => id === event.id))) return undefined
  if (event.type === "tool_call") return messages
  const change = (call: Call): Call => (call.id === event.id ? { ...call, result: event.content, ok: event.ok } : call)
  return messages.map((message) => (message.tool_calls ? { ...message, tool_calls: message.tool_calls.map(change) } : message))
}

/** The messages with one that was said beside the answers, once. */
export function withSaid(messages: Message[], { message_id, content, by }: Extract<ChatEvent, { type: "said" }>): Message[] {
  if (messages.some(({ id }) => id === message_id)) return messages
  return [...messages, { id: message_id, role: "assistant", content, ...(by === "person" && { by }) }]
}

/** A turn as it is read: what a person asked, and the steps of its answer. */
export interface Turn {
  id: string
  asked?: Message
  /** A scheduled task has begun it: nobody asked. */
  task?: boolean
  steps: Step[]
  error?: string
  stopped?: boolean
}

/**
 * The turns of messages: each begins with what a person wrote, with what a scheduled task has the agent say, or with what it says unasked at the
 * beginning. `running`: the last one is not at its end. `task`: it is this one, of a task, which may have said nothing yet.
 */
export function turnsOf(messages: Message[], running = false, task?: string): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    if (message.role === "user") {
      turns.push({ id: message.id, asked: message, steps: [], error: message.error })
      continue
    }
    let turn = turns.at(-1)
    if (message.origin === "task" && message.turn_id !== turn?.id) turns.push((turn = { id: message.turn_id ?? message.id, task: true, steps: [] }))
    if (!turn) turns.push((turn = { id: message.id, steps: [] }))
    turn.steps.push({ thinking: message.reasoning ?? "", text: message.content, calls: (message.tool_calls ?? []).map(plain), closed: true, ...(message.by === "person" && { person: true }) })
    turn.error = message.error || turn.error
    if (message.stopped) turn.stopped = true
  }
  if (running && task !== undefined && !turns.some(({ id }) => id === task)) turns.push({ id: task, task: true, steps: [] })
  return turns.map((turn, n) => (running && n === turns.length - 1 ? turn : { ...turn, steps: answerLast(turn) }))
}

/** A call as the page shows it: what a program wrote in another shape is text, too. */
const plain = (call: Call): Call => ({ ...call, args: textOf(call.args), result: call.result === undefined || call.result === null ? undefined : textOf(call.result) })

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

/** A turn ends with its answer: calls in the same message as the last text came before it. */
function answerLast({ steps, stopped, error }: Turn): Step[] {
  const last = steps.at(-1)
  if (!last || stopped || error || last.text.trim() === "" || last.calls.length === 0) return steps
  return [...steps.slice(0, -1), { ...last, text: "" }, { ...last, thinking: "", calls: [] }]
}
