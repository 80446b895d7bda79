import type { Message, ToolCall } from "../../api/types"
import { callsOfStep } from "./merge"
import type { PartialText } from "./partial-text"
import type { TurnFeed } from "./state"

/** A tool call with what it printed so far. */
export interface StoryCall extends ToolCall {
  output?: PartialText
}

/** What people see of a step's text, beside the text. */
interface Said {
  text: string
  live: boolean
  gap: boolean
  finish?: string
  /** Id of the message, once there is one. */
  message?: number
  /** It was kept from the channel. */
  undelivered?: boolean
}

/** One paragraph of a turn as people read it. */
export type Entry = { id: string } & (
  | { kind: "question"; messages: Message[]; taken: boolean }
  | { kind: "superseded"; message: Message }
  | { kind: "aside"; origin: Aside; messages: Message[] }
  | { kind: "continued"; message: Message }
  | { kind: "background"; message: Message }
  | { kind: "told"; message: Message }
  | { kind: "thought"; text: string; live: boolean }
  | ({ kind: "text" } & Said)
  | { kind: "silent"; message: Message }
  | { kind: "tools"; calls: StoryCall[] }
  | { kind: "restarted"; attempt: number }
  | { kind: "notice"; message: Message }
  | { kind: "compaction"; message: Message }
)

/** What was said before a question and is folded away: in a group without a word to the bot, or by messages that a full queue dropped. */
export type Aside = "overheard" | "summarized"

/** Tells a turn: questions, thoughts, tools and texts in the order in which they happened, the live step last. */
export function tellTurn(messages: Message[], feed: TurnFeed): Entry[] {
  const told = new Set<number>()
  const entries: Entry[] = []
  for (const message of messages) {
    if (message.role === "user") addSaid(entries, message)
    else if (tellsOfContext(message)) entries.push({ id: `k${message.id}`, kind: "compaction", message })
    else if (message.role === "notice") entries.push({ id: `n${message.id}`, kind: "notice", message })
    else {
      told.add(message.step)
      entries.push(...tellStep(message, callsOfStep(message, message.step, feed.calls), feed))
    }
  }
  for (const step of untoldSteps(feed, told)) entries.push(toolsEntry(step, callsOfStep(undefined, step, feed.calls), feed))
  return joinTools([...entries, ...tellLive(feed)])
}

/** A notice of what became of the context, such as a compression. */
export const tellsOfContext = (message: Message): boolean => message.role === "notice" && message.origin === "context"

/**
 * Adds what people said. Messages that came together are one question; one that comes when the turn has done something
 * already was taken in by the turn on its way.
 */
function addSaid(entries: Entry[], message: Message): void {
  const last = entries.at(-1)
  switch (message.origin) {
    case "background":
      entries.push({ id: `b${message.id}`, kind: "background", message })
      return
    case "cron":
    case "hook":
    case "subagent":
    case "peer":
    case "heartbeat":
      entries.push({ id: `b${message.id}`, kind: "told", message })
      return
    case "superseded":
      entries.push({ id: `u${message.id}`, kind: "superseded", message })
      return
    case "continue":
      entries.push({ id: `g${message.id}`, kind: "continued", message })
      return
    case "overheard":
    case "summarized":
      if (last?.kind === "aside" && last.origin === message.origin) last.messages.push(message)
      else entries.push({ id: `a${message.id}`, kind: "aside", origin: message.origin, messages: [message] })
      return
    default:
      if (last?.kind === "question") last.messages.push(message)
      else entries.push({ id: `q${message.id}`, kind: "question", messages: [message], taken: entries.some(isWork) })
  }
}

const isWork = ({ kind }: Entry): boolean => kind === "thought" || kind === "text" || kind === "tools" || kind === "silent"

function tellStep(message: Message, calls: ToolCall[], feed: TurnFeed): Entry[] {
  const entries: Entry[] = []
  const { step, content, silent, undelivered } = message
  if (message.reasoning) entries.push({ id: `s${step}r`, kind: "thought", text: message.reasoning, live: false })
  if (silent) entries.push({ id: `s${step}z`, kind: "silent", message })
  else if (content !== "") {
    entries.push({ id: `s${step}t`, kind: "text", text: content, live: false, gap: false, finish: message.finish_reason, message: message.id, undelivered })
  }
  if (calls.length > 0) entries.push(toolsEntry(step, calls, feed))
  return entries
}

/** Steps whose calls were told by events before their message came. */
function untoldSteps(feed: TurnFeed, told: Set<number>): number[] {
  const steps = new Set(Object.values(feed.calls).map((call) => call.step))
  return [...steps].filter((step) => !told.has(step)).sort((a, b) => a - b)
}

function toolsEntry(step: number, calls: ToolCall[], feed: TurnFeed): Entry {
  return { id: `s${step}c`, kind: "tools", calls: calls.map((call) => ({ ...call, output: feed.outputs[call.id] })) }
}

/** Live entries carry the ids that their settled form will have, so that nothing is drawn anew when it settles. */
function tellLive({ live }: TurnFeed): Entry[] {
  if (!live) return []
  const entries: Entry[] = []
  if (live.restarted) entries.push({ id: `s${live.step}x`, kind: "restarted", attempt: live.attempt })
  if (live.reasoning.text !== "") {
    entries.push({ id: `s${live.step}r`, kind: "thought", text: live.reasoning.text, live: live.text.text === "" })
  }
  if (live.text.text !== "") {
    entries.push({ id: `s${live.step}t`, kind: "text", text: live.text.text, live: true, gap: live.text.gap })
  }
  return entries
}

/** Calls of steps that follow each other without a word between them are read as one list. */
function joinTools(entries: Entry[]): Entry[] {
  const joined: Entry[] = []
  for (const entry of entries) {
    const last = joined.at(-1)
    if (entry.kind === "tools" && last?.kind === "tools") joined[joined.length - 1] = { ...last, calls: [...last.calls, ...entry.calls] }
    else joined.push(entry)
  }
  return joined
}

/** What a call that did not run says when a message of the person came first (internal/i18n, CallSkipped). */
const SKIPPED = "Not run: skipped to process an incoming message."

/** The call did not run because a message was taken in before it began. */
export const isSkipped = (call: ToolCall): boolean => call.state === "done" && call.is_error === true && call.result === SKIPPED
