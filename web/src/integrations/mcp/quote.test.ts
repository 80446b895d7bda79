import { expect, it } from "vitest"

import { quote } from "./quote"

it("leaves plain words as they are and puts others in quotes", () => {
  expect(["-y", "a@1.2/b", "https://a.example/mcp", "two words", "", 'a"b', "; rm"].map(quote)).toEqual(["-y", "a@1.2/b", "https://a.example/mcp", '"two words"', '""', '"a\\"b"', '"; rm"'])
})

it("hides no character", () => {
  expect(["a\nb", "a\u202eb", "a\u00a0b", "a\u200bb", "e\u0301", "a\u{e0041}b", "目录"].map(quote)).toEqual(['"a\\nb"', '"a\\u{202e}b"', '"a\\u{a0}b"', '"a\\u{200b}b"', '"e\\u{301}"', '"a\\u{e0041}b"', '"目录"'])
})
