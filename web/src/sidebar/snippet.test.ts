import { expect, test } from "vitest"

import { partsOf } from "./snippet"

test("a snippet is cut at its marks, which count characters", () => {
  const marks = [
    { from: 2, to: 4 },
    { from: 5, to: 6 },
  ]
  expect(partsOf({ snippet: "🙂 北京 🙂.", marks })).toEqual([
    { text: "🙂 ", found: false },
    { text: "北京", found: true },
    { text: " ", found: false },
    { text: "🙂", found: true },
    { text: ".", found: false },
  ])
  expect(partsOf({ snippet: "as it is", marks: [] })).toEqual([{ text: "as it is", found: false }])
  expect(partsOf({ snippet: "all", marks: [{ from: 0, to: 3 }] })).toEqual([{ text: "all", found: true }])
})
