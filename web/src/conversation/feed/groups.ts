import type { Message } from "../../api/types"
import { tellsOfContext } from "./story"

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
  /** Here the conversation began anew: the model sees nothing of what stands before. */
  reset?: boolean
  messages: Message[]
}

/** Puts messages, which come by ascending id, into the turns they belong to, in the order in which turns began. */
export function groupByTurn(messages: Message[]): MessageGroup[] {
  const groups = new Map<string, MessageGroup>()
  let before: MessageGroup | undefined
  for (const message of messages) {
    const asked = answers(message) && before?.reset !== true ? questionOf(message, groups, before) : undefined
    const of = message.turn_id === undefined ? undefined : groups.get(message.turn_id)
    const reset = tellsOfReset(message)
    const anew = before?.reset === true && of !== undefined // what is said after the divider stands below it
    const alone = message.turn_id === undefined || reset || anew || (of?.command === true && tellsOfContext(message))
    const id = alone ? `m${message.id}` : (message.turn_id ?? "")
    const group: MessageGroup = asked ?? (alone ? undefined : of) ?? { id, turn: alone ? undefined : message.turn_id, messages: [] }
    if (message.origin === "command") group.command = true
    if (reset) group.reset = true
    else if (alone && tellsOfContext(message)) group.context = true
    if (of?.command === true && of !== group) of.settled = true
    group.messages.push(message)
    groups.set(group.id, group)
    before = group
  }
  return [...groups.values()]
}

const tellsOfReset = (message: Message): boolean => message.role === "notice" && message.origin === "reset"

const answers = (message: Message): boolean => message.role === "notice" && message.origin === "command"

/** The command that a notice answers: the one whose id it carries, else the one right before it. */
function questionOf(answer: Message, groups: Map<string, MessageGroup>, before?: MessageGroup): MessageGroup | undefined {
  const open = (group?: MessageGroup) => group?.command === true && group.messages.length === 1 && !group.messages.some(answers)
  if (answer.inbox_id === undefined) return open(before) ? before : undefined
  return [...groups.values()].find((group) => open(group) && group.messages[0]?.inbox_id === answer.inbox_id)
}

/** Place of the group where the conversation last began anew; -1 when it never did. */
export const lastReset = (groups: MessageGroup[]): number => groups.findLastIndex((group) => group.reset === true)
