import { expect, test } from "vitest"

import { byteLength, dropBytes } from "./bytes"

const encoder = new TextEncoder()

test("lengths are those of UTF-8", () => {
  for (const text of ["", "abc", "é", "你好", "🙂 ok", "a\ud800"]) {
    expect(byteLength(text), text).toBe(encoder.encode(text).length)
  }
})

test("bytes are dropped at character borders", () => {
  expect(dropBytes("你好", 3)).toBe("好")
  expect(dropBytes("你好", 4)).toBe("")
  expect(dropBytes("🙂ok", 4)).toBe("ok")
  expect(dropBytes("abc", 9)).toBe("")
})
