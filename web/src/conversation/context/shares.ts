import type { ContextView } from "../../api/types"

/** What a part of the context window is taken by. */
export type Taker = "system" | "tools" | "user" | "assistant" | "results"

export interface Share {
  taker: Taker
  tokens: number
  /** How many there are, where they can be counted. */
  count?: number
}

/** The parts of a request in the order in which they are sent. Parts without tokens are left out. */
export function sharesOf({ parts, tools, messages }: ContextView): Share[] {
  const system = (parts ?? []).reduce((sum, part) => sum + part.tokens, 0)
  const shares: Share[] = [
    { taker: "system", tokens: system },
    { taker: "tools", ...tools },
    { taker: "user", ...messages.user },
    { taker: "assistant", ...messages.assistant },
    { taker: "results", ...messages.tool },
  ]
  return shares.filter((share) => share.tokens > 0)
}
