import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { Problem } from "../api/problem"
import { type Mail, Outbox } from "./outbox"

const place = "outbox.test"

/** A server that takes each id once and fails as told, and the storage and events of a browser. */
function setup(failures: (Problem | "lost")[] = []) {
  const taken: string[] = []
  const calls: string[] = []
  const mail: Mail = {
    create: (key) => {
      calls.push(`create ${key}`)
      return Promise.resolve()
    },
    send: (_key, id) => {
      calls.push(`send ${id}`)
      const failure = failures.shift()
      if (failure instanceof Problem) return Promise.reject(failure)
      if (!taken.includes(id)) taken.push(id)
      // "lost": accepted, but the answer never arrived.
      return failure === "lost" ? Promise.reject(new Problem(0, "no answer")) : Promise.resolve()
    },
  }
  const outbox = new Outbox(mail, place)
  return { outbox, taken, calls, mail }
}

const message = (id: string, fresh = false) => ({ id, key: "k", text: `text ${id}`, fresh })
const states = (outbox: Outbox) => outbox.entries.get().map((entry) => `${entry.id} ${entry.state}`)

beforeEach(() => {
  const kept = new Map<string, string>()
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  })
  vi.stubGlobal("window", new EventTarget())
  vi.stubGlobal("document", Object.assign(new EventTarget(), { visibilityState: "visible" }))
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test("messages are accepted in the order in which they were sent", async () => {
  const { outbox, taken } = setup()
  outbox.send(message("a"))
  outbox.send(message("b"))
  await vi.runAllTimersAsync()
  expect(taken).toEqual(["a", "b"])
  expect(states(outbox)).toEqual(["a accepted", "b accepted"])
})

test("a message whose answer was lost is sent again under the same id and taken once", async () => {
  const { outbox, taken, calls } = setup(["lost"])
  outbox.send(message("a"))
  await vi.runAllTimersAsync()
  expect(calls).toEqual(["send a", "send a"])
  expect(taken).toEqual(["a"])
  expect(states(outbox)).toEqual(["a accepted"])
})

test("while the server is away nothing overtakes, and the network's return ends the wait", async () => {
  const away = new Problem(0, "away")
  const { outbox, calls } = setup([away, away, away, away, away, away])
  outbox.send(message("a"))
  outbox.send(message("b"))
  await vi.advanceTimersByTimeAsync(5000)
  const before = calls.length
  expect(new Set(calls)).toEqual(new Set(["send a"]))
  window.dispatchEvent(new Event("online"))
  await vi.advanceTimersByTimeAsync(0)
  expect(calls.length).toBe(before + 1)
  await vi.runAllTimersAsync()
  expect(states(outbox)).toEqual(["a accepted", "b accepted"])
})

test("what was not accepted survives a reload, what was accepted does not come again", async () => {
  const first = setup([new Problem(503, "away")])
  first.outbox.send(message("a"))
  await vi.advanceTimersByTimeAsync(0)
  first.outbox.close()
  const second = setup()
  expect(states(second.outbox)).toEqual(["a sending"])
  await vi.runAllTimersAsync()
  expect(second.taken).toEqual(["a"])
  expect(states(setup().outbox)).toEqual([])
})

test("a refusal is told, does not block the next message, and can be tried again", async () => {
  const { outbox, taken } = setup([new Problem(409, "Another text has this id.")])
  outbox.send(message("a"))
  outbox.send(message("b"))
  await vi.runAllTimersAsync()
  expect(taken).toEqual(["b"])
  expect(outbox.entries.get()[0]).toMatchObject({ state: "refused", reason: "Another text has this id." })
  outbox.again("a")
  await vi.runAllTimersAsync()
  expect(taken).toEqual(["b", "a"])
})

test("a new session is made before its first message", async () => {
  const { outbox, calls } = setup()
  outbox.send(message("a", true))
  await vi.runAllTimersAsync()
  expect(calls).toEqual(["create k", "send a"])
})

test("a message that the feed shows while it is still being sent is not sent again", async () => {
  const { outbox, calls } = setup(["lost"])
  outbox.send(message("a"))
  await vi.advanceTimersByTimeAsync(0)
  outbox.settle("a")
  await vi.runAllTimersAsync()
  expect(calls).toEqual(["send a"])
  expect(states(outbox)).toEqual([])
})

test("a sign-out keeps the message for the next sign-in", async () => {
  const { outbox } = setup([new Problem(401, "Sign in.")])
  outbox.send(message("a"))
  await vi.runAllTimersAsync()
  expect(states(outbox)).toEqual(["a sending"])
  expect(states(setup().outbox)).toEqual(["a sending"])
})
