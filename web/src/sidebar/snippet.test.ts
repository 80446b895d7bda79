import { expect, test } from "vitest"

import { partsOf } from "./snippet"

test("a snippet is cut at the words that were searched for, whatever their case", () => {
  const found = partsOf("The quick brown Heron. A heron?", "heron quick").filter((part) => part.found)
  expect(found.map(({ text }) => text)).toEqual(["quick", "Heron", "heron"])
  expect(partsOf("a (b) c", "(b)")).toEqual([{ text: "a ", found: false }, { text: "(b)", found: true }, { text: " c", found: false }])
  expect(partsOf("as it is", " ")).toEqual([{ text: "as it is", found: false }])
})
