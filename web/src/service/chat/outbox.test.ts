import { expect, test } from "vitest"

import { names, write } from "../lib/storage"
import { draftOf, dropDraft, dropPending, keepDraft, keepPending, pendingOf } from "./outbox"

test("a message is kept from before it is sent until it was taken, beside those of other conversations", () => {
  const message = { key: "k1", text: "Hi", attachments: [], after: "m2" }
  keepPending("c1", message)
  expect(pendingOf("c1")).toEqual(message)
  expect(pendingOf("c2")).toBeUndefined()
  expect(pendingOf("c")).toBeUndefined()
  dropPending("c1", "k1")
  expect(pendingOf("c1")).toBeUndefined()
})

test("what is no message is thrown away, not sent", () => {
  write("xbot.svc..out.c3.k", "{")
  write("xbot.svc..out.c3.l", '{"key":7}')
  expect(pendingOf("c3")).toBeUndefined()
  expect(names("xbot.svc..out.c3.")).toEqual([])
})

test("a draft that another tab has begun meanwhile is not dropped", () => {
  keepDraft(undefined, "first")
  keepDraft(undefined, "second")
  dropDraft(undefined, "first")
  expect(draftOf(undefined)).toBe("second")
  dropDraft(undefined, "second")
  expect(draftOf(undefined)).toBe("")
})
