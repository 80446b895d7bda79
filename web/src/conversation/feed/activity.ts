import type { Message, Retry, Wait } from "../../api/types"
import { callsOfStep, isAsking } from "./merge"
import { emptyTurnFeed, type FeedState, runningTurn, type TurnFeed } from "./state"

/** What a running turn does at this moment, for one line of words. */
export type Activity =
  | { kind: "retrying"; retry: Retry }
  | { kind: "asking"; tool: string }
  | { kind: "inquiring" }
  | { kind: "deferred"; tool: string }
  | { kind: "tools"; names: string[]; since?: string }
  | { kind: "calling"; tool: string }
  | { kind: "compressing" }
  | { kind: "writing" }
  | { kind: "thinking" }
  | { kind: "waiting" }
  | { kind: "provider"; wait: Wait }
  | { kind: "unheard" }

/** `reconnected` is true when the connection was lost and made again since the page was opened. */
export function activityOf(messages: Message[], feed: TurnFeed, reconnected: boolean): Activity {
  if (feed.retry) return { kind: "retrying", retry: feed.retry }
  if (feed.turn?.waits && !feed.live) return { kind: "provider", wait: feed.turn.waits }
  if (reconnected && !feed.heard) return { kind: "unheard" }
  const { live } = feed
  if (live?.doing) return { kind: "compressing" }
  if (live?.toolName) return { kind: "calling", tool: live.toolName }
  if (live?.text.text) return { kind: "writing" }
  if (live?.reasoning.text) return { kind: "thinking" }
  const calls = latestCalls(messages, feed)
  const asking = calls.find(isAsking)
  if (asking?.approval?.questions?.length || asking?.approval?.plan) return { kind: "inquiring" }
  if (asking?.approval?.deferred) return { kind: "deferred", tool: asking.name }
  if (asking) return { kind: "asking", tool: asking.name }
  const running = calls.filter((call) => call.state === "running")
  if (running.length > 0) {
    return { kind: "tools", names: running.map((call) => call.name), since: running[0]?.started_at }
  }
  return { kind: "waiting" }
}

/** Whether the running turn waits for a permission or an answer. */
export const isAskingNow = (state: FeedState): boolean => askingCalls(state).length > 0

/** The calls of the running turn that wait for a permission or an answer. */
export function askingCalls(state: FeedState) {
  const running = runningTurn(state)
  if (running === undefined) return []
  const messages = state.messages.filter((message) => message.turn_id === running)
  return latestCalls(messages, state.turns[running] ?? emptyTurnFeed).filter(isAsking)
}

/** The calls of the newest step that has any word of its own. */
function latestCalls(messages: Message[], feed: TurnFeed) {
  const last = messages.findLast((message) => message.role === "assistant")
  const steps = Object.values(feed.calls).map((call) => call.step)
  const step = Math.max(last?.step ?? -1, ...steps)
  const message = last?.step === step ? last : undefined
  return callsOfStep(message, step, feed.calls)
}
