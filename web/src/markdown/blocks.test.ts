import { expect, test } from "vitest"

import { splitBlocks } from "./blocks"

const whole = (text: string) => expect(splitBlocks(text)).toEqual([text])

test("paragraphs, headings and fences are blocks of their own", () => {
  const parts = ["# Title", "One\ntwo.", "```go\nfunc a() {\n\n}\n```", "The end."]
  expect(splitBlocks(parts.join("\n\n"))).toEqual(parts)
})

test("a fence stays whole, also while it is open and when its inside looks like Markdown", () => {
  whole("```md\n# a\n\nb\n\n```js\nstill inside")
  whole("~~~\na\n\n```\n\nb\n~~~")
  whole("$$\na\n\nb\n$$")
})

test("formulas and code spans of one line open nothing", () => {
  expect(splitBlocks("$$a$$\n\nnext")).toHaveLength(2)
  expect(splitBlocks("```one line```\n\nnext")).toHaveLength(2)
})

test("lists, quotes and definitions are not torn apart", () => {
  whole("- a\n\n- b\n\n  more of b")
  whole("1. a\n\n2. b")
  whole("> a\n\n> b")
  whole("See [x].\n\n[x]: https://example.org")
})

test("nothing is lost", () => {
  const text = "a\n\n\n\nb\n\n- c\n\n\nd"
  expect(splitBlocks(text).join("\n\n").replace(/\n+/g, "\n")).toBe(text.replace(/\n+/g, "\n"))
})

test("however a text grows, blocks before the last two never change", () => {
  const text = "# T\n\nPara one\nstill.\n\n```js\nlet a\n\nlet b\n```\n\nPara two.\n\n- x\n\n- y\n\nEnd $$x$$ here.\n"
  const final = splitBlocks(text)
  for (let n = 1; n <= text.length; n++) {
    const blocks = splitBlocks(text.slice(0, n))
    expect(blocks.slice(0, -2), `after ${n} characters`).toEqual(final.slice(0, Math.max(0, blocks.length - 2)))
  }
})
