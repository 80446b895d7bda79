import { expect, test } from "vitest"

import type { Message, ToolCall, Turn } from "../../api/types"
import { emptyTurnFeed } from "../feed/state"
import { lengthOf, timelineOf } from "./timeline"

const at = (seconds: number) => new Date(seconds * 1000).toISOString()
const turn = (over: Partial<Turn> = {}): Turn => ({
  id: "t", session: "s", state: "done", steps: 2, usage: { prompt_tokens: 0, completion_tokens: 0 }, started_at: at(0), ended_at: at(10), ...over,
})
const call = (start: number, end?: number): ToolCall => ({
  id: "t.0.0", name: "Shell", class: "exec", arguments: "", state: end === undefined ? "running" : "done", started_at: at(start), finished_at: end === undefined ? undefined : at(end),
})
const answer = (step: number, created: number, calls: ToolCall[] = []): Message => ({
  id: step, session: "s", turn_id: "t", step, role: "assistant", content: "", created_at: at(created), tool_calls: calls,
})
const spans = (bars: ReturnType<typeof timelineOf>) => bars.map(({ kind, start, end }) => [kind, start, end])

test("model calls fill what lies between the tools", () => {
  const bars = timelineOf(turn(), [answer(0, 2, [call(3, 7)]), answer(1, 9)], emptyTurnFeed)
  expect(spans(bars)).toEqual([
    ["model", 0, 2000],
    ["tool", 3000, 7000],
    ["model", 7000, 9000],
  ])
  expect(lengthOf(turn(), bars, 0)).toBe(10_000)
})

test("what goes on has no end, and the scale reaches to now", () => {
  const running = turn({ state: "running", ended_at: undefined })
  const inTool = timelineOf(running, [answer(0, 2, [call(3)])], emptyTurnFeed)
  expect(spans(inTool).at(-1)).toEqual(["tool", 3000, undefined])
  expect(lengthOf(running, inTool, 8000)).toBe(8000)
  expect(spans(timelineOf(running, [answer(0, 2, [call(3, 4)])], emptyTurnFeed)).at(-1)).toEqual(["model", 4000, undefined])
})
