import { expect, test } from "vitest"

import type { Session } from "../api/types"
import { ended, longOne } from "./finished-turns"

const session = (key: string, running?: string) => ({ key, running }) as Session

test("a turn has ended when it ran before and another one or none runs now", () => {
  const before = [session("a", "t1"), session("b", "t2"), session("c"), session("d", "t4"), session("gone", "t5")]
  const now = [session("a"), session("b", "t2"), session("c"), session("d", "t6"), session("new")]
  expect(ended(before, now).map(({ session, turn }) => `${session.key} ${turn}`)).toEqual(["a t1", "d t4"])
})

test("turns of more than half a minute are told, unless the person stopped them", () => {
  const turn = (seconds: number) => ({ started_at: new Date(0).toISOString(), ended_at: new Date(seconds * 1000).toISOString() })
  expect(longOne({ state: "done", ...turn(31) })).toBe(31_000)
  expect(longOne({ state: "failed", ...turn(31) })).toBe(31_000)
  expect(longOne({ state: "done", ...turn(30) })).toBeUndefined()
  expect(longOne({ state: "stopped", ...turn(90) })).toBeUndefined()
  expect(longOne({ state: "running", started_at: new Date(0).toISOString() })).toBeUndefined()
})
