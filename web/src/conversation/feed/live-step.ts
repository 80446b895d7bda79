import type { Delta, Output, Retry } from "../../api/types"
import { addPiece, emptyText, keepTail } from "./partial-text"
import type { LiveStep, TurnFeed } from "./state"

/** Characters of a running command's output that are kept; the result brings what the model reads. */
export const OUTPUT_KEPT = 100_000

/** Adds text that the model is writing. A later step or a larger attempt begins anew, an earlier one is late and ignored. */
export function addDelta(feed: TurnFeed, delta: Delta): TurnFeed {
  const live = feed.live
  if (live && precedes(delta, live)) return feed
  const same = live?.step === delta.step && live.attempt === delta.attempt
  const base = same ? live : beginStep(feed, delta)
  const text = addPiece(base.text, delta.offset, delta.text ?? "")
  const reasoning = addPiece(base.reasoning, delta.reasoning_offset, delta.reasoning ?? "")
  const next: LiveStep = { ...base, text, reasoning, doing: delta.doing }
  if (delta.tool_name) next.toolName = delta.tool_name
  const retry = feed.retry && outlived(feed.retry, delta) ? undefined : feed.retry
  return { ...feed, live: next, retry }
}

interface Place {
  step: number
  attempt: number
}

const precedes = (a: Place, b: Place): boolean => a.step < b.step || (a.step === b.step && a.attempt < b.attempt)

function beginStep(feed: TurnFeed, delta: Delta): LiveStep {
  const { announced } = feed
  const retried = announced?.step === delta.step && announced.attempt >= delta.attempt
  return {
    step: delta.step,
    attempt: delta.attempt,
    text: emptyText,
    reasoning: emptyText,
    restarted: delta.attempt > 1 && !retried && feed.turn?.waits === undefined,
  }
}

/** Whether the attempt that a retry announced, or a later step, has spoken. */
function outlived(retry: Retry, by: Place): boolean {
  return !precedes(by, retry)
}

/** A model call failed: what it wrote is void, and the person is told when the next attempt starts. */
export function announceRetry(feed: TurnFeed, retry: Retry): TurnFeed {
  const announced = { step: retry.step, attempt: retry.attempt }
  const begun = feed.live && outlived(retry, feed.live)
  if (begun) return { ...feed, announced, live: feed.live && { ...feed.live, restarted: false } }
  return { ...feed, announced, retry, live: undefined }
}

/** The message of a step is there: nothing live of it or of an earlier step is left to show. */
export function settleStep(feed: TurnFeed, step: number): TurnFeed {
  const live = feed.live && feed.live.step > step ? feed.live : undefined
  const retry = feed.retry && feed.retry.step > step ? feed.retry : undefined
  if (live === feed.live && retry === feed.retry) return feed
  return { ...feed, live, retry }
}

/** Adds what a command printed; output that comes after the call's end is late and ignored. */
export function addOutput(feed: TurnFeed, output: Output): TurnFeed {
  if (feed.calls[output.call_id]?.state === "done") return feed
  const before = feed.outputs[output.call_id] ?? emptyText
  const after = keepTail(addPiece(before, output.offset, output.text), OUTPUT_KEPT)
  return after === before ? feed : { ...feed, outputs: { ...feed.outputs, [output.call_id]: after } }
}
