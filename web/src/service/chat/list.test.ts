import { expect, test } from "vitest"

import { takeKey } from "../lib/key"
import { write } from "../lib/storage"
import { entitle, listed, refreshList, titleFrom, touch, unlist } from "./list"

test("conversations are listed newest first, to their key alone", () => {
  takeKey("sk-svc-aaaaaaaa")
  touch("c1", "One", 1)
  touch("c2", "Two", 2)
  touch("c1", "", 3)
  entitle("c2", "Two, named")
  expect(listed.get().map(({ id, title }) => [id, title])).toEqual([["c1", "One"], ["c2", "Two, named"]])
  takeKey("sk-svc-bbbbbbbb")
  refreshList()
  expect(listed.get()).toEqual([])
  takeKey("sk-svc-aaaaaaaa")
  unlist("c1")
  expect(listed.get().map(({ id }) => id)).toEqual(["c2"])
})

test("what is kept wrongly is left out", () => {
  write("xbot.svc..list", '[{"id":7},null,"x"]')
  refreshList()
  expect(listed.get()).toEqual([])
})

test("a title is the beginning of what was written first", () => {
  expect(titleFrom("  When do\nthe tulips bloom?  ")).toBe("When do the tulips bloom?")
  expect(titleFrom("郁".repeat(40))).toBe(`${"郁".repeat(30)}…`)
})
