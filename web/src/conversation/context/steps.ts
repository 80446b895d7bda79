import type { Message } from "../../api/types"

/** One call of the model: a step of a turn. */
export interface StepPlace {
  turn: string
  step: number
}

/** The steps that the messages of a conversation tell of, in their order. */
export function stepsOf(messages: Message[]): StepPlace[] {
  return messages.flatMap(({ role, turn_id: turn, step }) => (role === "assistant" && turn ? [{ turn, step }] : []))
}
