import type { Session } from "../../api/types"

/** How much of the context window a conversation takes, in tokens. */
export interface Fill {
  used: number
  max: number
}

/** How full the window is: from 60 % results are masked, from 75 % the conversation is compressed (spec/001 §3). */
export type Level = "calm" | "full" | "tight"

const FULL = 0.6
const TIGHT = 0.75

export function fillOf(session?: Session): Fill | undefined {
  const { context_used: used = 0, context_max: max = 0 } = session ?? {}
  return max > 0 ? { used, max } : undefined
}

/** The part of the window that is taken, from 0 to 1. */
export const ratioOf = ({ used, max }: Fill): number => Math.min(1, Math.max(0, used / max))

export function levelOf(fill: Fill): Level {
  const ratio = ratioOf(fill)
  return ratio >= TIGHT ? "tight" : ratio >= FULL ? "full" : "calm"
}
