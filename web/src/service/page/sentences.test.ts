import { expect, test } from "vitest"

import { endOfSentences, spoken } from "./sentences"

test("only whole sentences are read, in Chinese, too", () => {
  expect(endOfSentences("It blo")).toBe(0)
  expect(endOfSentences("It blooms in 3.5 weeks. The")).toBe(23)
  expect(endOfSentences("它在五月开花。然后")).toBe(7)
  expect(endOfSentences("Wait. Now:\n```js\na. b\n")).toBe(11)
})

test("what is read has no marks", () => {
  expect(spoken("# **Tulips**\nsee [here](https://a.example) `now` <<FILE:/generated/a.png>>")).toBe("Tulips see here now")
  expect(spoken("a\n```js\nlet x\n```\nb")).toBe("a b")
})
