import { expect, test } from "vitest"

import type { UsageReport } from "../api/types"
import { byDay, byModel, bySession, mediaByModel, tokensOf } from "./rows"

const row = (day: string, model: string, tokens: number, cost?: number) => ({ day, model, calls: 1, prompt_tokens: tokens, cached_tokens: 0, completion_tokens: 1, cost })
const report: UsageReport = {
  days: [row("2026-11-19", "a", 10, 0.5), row("2026-11-20", "a", 20, 1), row("2026-11-20", "b", 500)],
  sessions: [
    { ...row("", "a", 10, 1), key: "k1", title: "one" },
    { ...row("", "b", 20, 2), key: "k2", title: "", deleted: true },
    { ...row("", "b", 30, 4), key: "k1", title: "one" },
  ],
  total: { calls: 3, prompt_tokens: 530, cached_tokens: 0, completion_tokens: 3 },
  media: [
    { day: "2026-11-20", kind: "image", model: "p/x", calls: 1, units: 2, cost: 0.1 },
    { day: "2026-11-20", kind: "speech", model: "p/y", calls: 1, units: 900 },
    { day: "2026-11-19", kind: "image", model: "p/x", calls: 2, units: 3, cost: 0.2 },
  ],
  currency: "USD",
}

test("days come newest first, models by what they used", () => {
  expect(byDay(report).map((sum) => [sum.name, tokensOf(sum), sum.calls])).toEqual([["2026-11-20", 522, 2], ["2026-11-19", 11, 1]])
  expect(byModel(report).map((sum) => sum.name)).toEqual(["b", "a"])
})

test("a conversation is one row, whatever models answered in it", () => {
  expect(bySession(report).map(({ name, title, deleted, cost }) => [name, title, deleted, cost])).toEqual([
    ["k1", "one", undefined, 5],
    ["k2", "", true, 2],
  ])
})

test("a sum has no cost when a part of it has none", () => {
  expect(byDay(report).map((sum) => sum.cost)).toEqual([undefined, 0.5])
  expect(byModel(report).map((sum) => sum.cost)).toEqual([undefined, 1.5])
})

test("media are summed up by kind and model, the dearest first", () => {
  expect(mediaByModel(report).map(({ model, calls, units, cost }) => [model, calls, units, cost === undefined ? cost : Math.round(cost * 10)])).toEqual([["p/x", 3, 5, 3], ["p/y", 1, 900, undefined]])
})
