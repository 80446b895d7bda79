import type { Message, Turn, Usage } from "../../api/types"
import { callsOfStep } from "../feed/merge"
import type { TurnFeed } from "../feed/state"

/** One stretch of a turn's time. Times are milliseconds since the turn started. */
export interface Bar {
  id: string
  kind: "model" | "tool"
  /** Tool name, or the number of the model call from 1. */
  name: string
  summary?: string
  start: number
  /** Missing while it goes on. */
  end?: number
  failed: boolean
  usage?: Usage
}

/**
 * The stretches of a turn in the order of their beginning. When a model call begins is not recorded: it is the end of
 * what came before it, so the waiting in between counts as the model's.
 */
export function timelineOf(turn: Turn, messages: Message[], feed: TurnFeed): Bar[] {
  const origin = Date.parse(turn.started_at)
  const since = (iso: string) => Math.max(0, Date.parse(iso) - origin)
  const bars: Bar[] = []
  let reached = 0
  for (const message of messages) {
    if (message.role !== "assistant") continue
    const end = Math.max(reached, since(message.created_at))
    const { step, usage } = message
    bars.push({ id: `s${step}`, kind: "model", name: String(step + 1), start: reached, end, failed: message.finish_reason === "error", usage })
    reached = end
    for (const call of callsOfStep(message, step, feed.calls)) {
      if (!call.started_at) continue
      const start = since(call.started_at)
      const finish = call.finished_at ? since(call.finished_at) : undefined
      bars.push({ id: call.id, kind: "tool", name: call.name, summary: call.summary, start, end: finish, failed: call.is_error === true })
      reached = Math.max(reached, finish ?? start)
    }
  }
  const working = bars.some((bar) => bar.end === undefined)
  if (turn.state === "running" && !working) {
    const step = feed.live?.step ?? bars.filter((bar) => bar.kind === "model").length
    bars.push({ id: `s${step}`, kind: "model", name: String(step + 1), start: reached, failed: false })
  }
  return bars
}

/** Where the scale ends: the turn's end, or now. */
export function lengthOf(turn: Turn, bars: Bar[], now: number): number {
  const origin = Date.parse(turn.started_at)
  const end = turn.ended_at ? Date.parse(turn.ended_at) : now
  return Math.max(1, end - origin, ...bars.map((bar) => bar.end ?? bar.start))
}
