import { expect, test } from "vitest"

import type { Compaction, ContextView, Message } from "../../api/types"
import { toldBy } from "./compaction"
import { fillOf, levelOf } from "./fill"
import { sharesOf } from "./shares"
import { stepsOf } from "./steps"

const session = { context_used: 0, context_max: 200_000 } as Parameters<typeof fillOf>[0]

test("the ring changes its colour at 60 and 75 per cent", () => {
  const level = (used: number) => levelOf({ used, max: 100 })
  expect([0, 59, 60, 74, 75, 140].map(level)).toEqual(["calm", "calm", "full", "full", "tight", "tight"])
})

test("a window of unknown size has no fill", () => {
  expect(fillOf(session)).toEqual({ used: 0, max: 200_000 })
  expect(fillOf(undefined)).toBeUndefined()
  expect(fillOf({ ...session, context_max: 0 } as typeof session)).toBeUndefined()
})

test("shares stand in the order in which they are sent, empty ones are left out", () => {
  const view = {
    parts: [{ key: "base", bytes: 9, tokens: 3 }, { key: "agents", bytes: 9, tokens: 4 }],
    tools: { count: 2, tokens: 50 },
    messages: { user: { count: 1, tokens: 10 }, assistant: { count: 1, tokens: 0 }, tool: { count: 3, tokens: 90 } },
  } as ContextView
  expect(sharesOf(view).map(({ taker, tokens }) => [taker, tokens])).toEqual([["system", 7], ["tools", 50], ["user", 10], ["results", 90]])
})

test("a notice finds the compaction that was written with it", () => {
  const at = (second: number) => new Date(second * 1000).toISOString()
  const list = [1, 2, 3].map((id) => ({ id, created_at: at(id * 100) }) as Compaction)
  expect(toldBy(list, { created_at: at(201) } as Message)?.id).toBe(2)
  expect(toldBy([], { created_at: at(201) } as Message)).toBeUndefined()
})

test("steps are the answers of turns", () => {
  const messages = [
    { role: "user", turn_id: "a", step: 0 },
    { role: "assistant", turn_id: "a", step: 0 },
    { role: "assistant", turn_id: "a", step: 1 },
    { role: "notice", turn_id: "a", step: 0 },
    { role: "assistant", step: 0 },
  ] as Message[]
  expect(stepsOf(messages)).toEqual([{ turn: "a", step: 0 }, { turn: "a", step: 1 }])
})
