import type { Message, ToolCall } from "../api/types"
import { callsOfStep } from "./merge"
import type { TurnFeed } from "./state"
import type { Strand } from "./strand"

/** A tool call with what it printed so far. */
export interface StoryCall extends ToolCall {
  output?: Strand
}

/** One paragraph of a turn as people read it. */
export type Entry = { id: string } & (
  | { kind: "question"; message: Message }
  | { kind: "background"; message: Message }
  | { kind: "thought"; text: string; live: boolean }
  | { kind: "text"; text: string; live: boolean; gap: boolean; finish?: string }
  | { kind: "tools"; calls: StoryCall[] }
  | { kind: "restarted"; attempt: number }
  | { kind: "notice"; message: Message }
  | { kind: "compaction"; message: Message }
)

/** Messages of one turn, or a single message that belongs to none. */
export interface MessageGroup {
  id: string
  turn?: string
  /** A command that the model does not see, and its answer once there is one. */
  command?: boolean
  /** The command has ended, though a notice of its own tells what came of it. */
  settled?: boolean
  /** A notice of what became of the context, outside of a turn that asked something. */
  context?: boolean
  messages: Message[]
}

/** Puts messages, which come by ascending id, into the turns they belong to, in the order in which turns began. */
export function groupByTurn(messages: Message[]): MessageGroup[] {
  const groups = new Map<string, MessageGroup>()
  let before: MessageGroup | undefined
  for (const message of messages) {
    const asked = answers(message) ? questionOf(message, groups, before) : undefined
    const of = message.turn_id === undefined ? undefined : groups.get(message.turn_id)
    const alone = message.turn_id === undefined || (of?.command === true && tellsOfContext(message))
    const id = alone ? `m${message.id}` : (message.turn_id ?? "")
    const group: MessageGroup = asked ?? (alone ? undefined : of) ?? { id, turn: alone ? undefined : message.turn_id, messages: [] }
    if (message.origin === "command") group.command = true
    if (alone && tellsOfContext(message)) group.context = true
    if (of?.command === true && of !== group) of.settled = true
    group.messages.push(message)
    groups.set(group.id, group)
    before = group
  }
  return [...groups.values()]
}

/** A notice of what became of the context, such as a compression. */
export const tellsOfContext = (message: Message): boolean => message.role === "notice" && message.origin === "context"

const answers = (message: Message): boolean => message.role === "notice" && message.origin === "command"

/** The command that a notice answers: the one whose id it carries, else the one right before it. */
function questionOf(answer: Message, groups: Map<string, MessageGroup>, before?: MessageGroup): MessageGroup | undefined {
  const open = (group?: MessageGroup) => group?.command === true && group.messages.length === 1 && !group.messages.some(answers)
  if (answer.inbox_id === undefined) return open(before) ? before : undefined
  return [...groups.values()].find((group) => open(group) && group.messages[0]?.inbox_id === answer.inbox_id)
}

/** Tells a turn: questions, thoughts, tools and texts in the order in which they happened, the live step last. */
export function tellTurn(messages: Message[], feed: TurnFeed): Entry[] {
  const told = new Set<number>()
  const entries: Entry[] = []
  for (const message of messages) {
    if (message.role === "user" && message.origin === "background") entries.push({ id: `b${message.id}`, kind: "background", message })
    else if (message.role === "user") entries.push({ id: `q${message.id}`, kind: "question", message })
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

function tellStep(message: Message, calls: ToolCall[], feed: TurnFeed): Entry[] {
  const entries: Entry[] = []
  const step = message.step
  if (message.reasoning) entries.push({ id: `s${step}r`, kind: "thought", text: message.reasoning, live: false })
  if (message.content !== "") {
    entries.push({ id: `s${step}t`, kind: "text", text: message.content, live: false, gap: false, finish: message.finish_reason })
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
