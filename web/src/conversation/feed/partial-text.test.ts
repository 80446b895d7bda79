import { expect, test } from "vitest"

import { addPiece, emptyText, keepTail, type PartialText } from "./partial-text"

/** Adds pieces given as [offset, text]. */
function weave(...pieces: [number, string][]): PartialText {
  return pieces.reduce((before, [offset, text]) => addPiece(before, offset, text), emptyText)
}

test("pieces in order make the text", () => {
  expect(weave([0, "你"], [3, "好"], [6, "!"])).toEqual({ text: "你好!", bytes: 7, gap: false })
})

test("a repeated piece changes nothing", () => {
  expect(weave([0, "hel"], [0, "hel"], [3, "lo"], [3, "lo"])).toEqual({ text: "hello", bytes: 5, gap: false })
})

test("an overlapping piece adds only what is new", () => {
  expect(weave([0, "hel"], [1, "ello"])).toEqual({ text: "hello", bytes: 5, gap: false })
})

test("a missed piece leaves a visible hole and the text goes on", () => {
  expect(weave([0, "one "], [8, "three"])).toEqual({ text: "one …three", bytes: 13, gap: true })
  expect(weave([40, "late"])).toEqual({ text: "…late", bytes: 44, gap: true })
})

test("a long text keeps its tail, from the start of a line", () => {
  const whole = weave([0, "first line\n" + "x".repeat(30) + "\nlast line"])
  expect(keepTail(whole, 20)).toEqual({ text: "…\nlast line", bytes: whole.bytes, gap: true })
  expect(keepTail(whole, 100)).toBe(whole)
})
