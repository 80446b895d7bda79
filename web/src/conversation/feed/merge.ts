import type { Message, ToolCall, ToolEvent, Turn } from "../../api/types"

/** Adds messages to a list ordered by id; a message that is there already is replaced by the newer copy. */
export function mergeMessages(list: Message[], added: Message[]): Message[] {
  if (added.length === 0) return list
  const last = list.at(-1)
  const first = added[0]
  if (added.length === 1 && first && (!last || last.id < first.id)) return [...list, first]
  const byId = new Map(list.map((message) => [message.id, message]))
  for (const message of added) byId.set(message.id, message)
  return [...byId.values()].sort((a, b) => a.id - b.id)
}

/** The further of two copies of a turn: one that ended never runs again, else the second is newer. */
export function furtherTurn(known: Turn | undefined, other: Turn): Turn {
  if (known && known.state !== "running" && other.state === "running") return known
  return other
}

const progress = { open: 0, running: 1, done: 2 } as const

/** The further of two copies of a tool call; the second one if they are as far. */
export function furtherCall<T extends ToolCall>(known: T | undefined, other: T): T {
  if (!known || progress[known.state] < progress[other.state]) return other
  if (progress[known.state] > progress[other.state]) return known
  return isAnswered(known) && !isAnswered(other) ? known : other
}

/** A question whether the call may run was asked and is settled. */
const isAnswered = ({ approval }: ToolCall): boolean => approval !== undefined && approval.state !== "open"

/** A person has to say whether the call may run. */
export const isAsking = (call: ToolCall): boolean => call.state === "open" && call.approval?.state === "open"

/** Calls of one step: those of its message, and those only events told of, by their number in the step. */
export function callsOfStep(message: Message | undefined, step: number, events: Record<string, ToolEvent>): ToolCall[] {
  const calls = new Map<string, ToolCall>()
  for (const call of message?.tool_calls ?? []) calls.set(call.id, call)
  for (const event of Object.values(events)) {
    if (event.step === step) calls.set(event.id, furtherCall(calls.get(event.id), event))
  }
  return [...calls.values()].sort((a, b) => callNumber(a.id) - callNumber(b.id))
}

/** The n of "<turn>.<step>.<n>". */
function callNumber(id: string): number {
  return Number(id.slice(id.lastIndexOf(".") + 1))
}
