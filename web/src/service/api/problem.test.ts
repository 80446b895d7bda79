import { expect, test } from "vitest"

import { problemOf } from "./problem"

const now = Date.parse("2026-11-27T12:00:00Z")
const problem = (status: number, header: Record<string, string> = {}, body = "") => problemOf(new Response(body, { status, headers: header }), now)

test("a limit says when to go on, in seconds or as a date", async () => {
  expect((await problem(429, { "Retry-After": "20" })).until).toBe(now + 20_000)
  expect((await problem(429, { "Retry-After": "Fri, 27 Nov 2026 12:05:00 GMT" })).until).toBe(now + 300_000)
  expect((await problem(429)).until).toBe(now + 30_000)
  expect((await problem(429, { "Retry-After": "soon" })).until).toBe(now + 30_000)
})

test("each status has its kind, and only what passes is asked again", async () => {
  for (const [status, kind, passes] of [[401, "key", false], [403, "withdrawn", false], [404, "gone", false], [413, "large", false], [400, "refused", false], [409, "refused", false], [500, "busy", true], [502, "busy", true]] as const) {
    const { kind: found, passes: again } = await problem(status)
    expect([found, again]).toEqual([kind, passes])
  }
})

test("the server's sentence is told, a body of another kind is not", async () => {
  expect((await problem(400, {}, '{"detail":"The message is empty."}')).message).toBe("The message is empty.")
  expect((await problem(400, {}, "<h1>Bad gateway</h1>")).message).toBe("")
  expect((await problem(400, {}, '{"detail":7}')).message).toBe("")
})
