import { expect, test } from "vitest"

import type { Session } from "../api/types"
import { groupByAge } from "./groups"

const session = (key: string, at: Date, pinned = false) => ({ key, pinned, updated_at: at.toISOString() }) as Session
const now = new Date(2026, 4, 20, 0, 30)

test("sessions are listed by pin and day of last use, in the order given", () => {
  const groups = groupByAge(
    [
      session("p", new Date(2025, 0, 1), true),
      session("a", new Date(2026, 4, 20, 0, 10)),
      session("b", new Date(2026, 4, 19, 23, 50)),
      session("c", new Date(2026, 4, 14, 12)),
      session("d", new Date(2026, 4, 13, 12)),
      session("e", new Date(2020, 1, 1)),
    ],
    now,
  )
  expect(groups.map((g) => [g.age, g.sessions.map((s) => s.key).join()])).toEqual([
    ["pinned", "p"],
    ["today", "a"],
    ["yesterday", "b"],
    ["week", "c"],
    ["older", "d,e"],
  ])
})
