import { expect, test } from "vitest"

import { fitted } from "./insert"

test("what was said stands apart from words, and close to nothing, spaces, punctuation and Chinese", () => {
  expect(fitted("", "Hello.", "")).toBe("Hello.")
  expect(fitted("Hi", "there", "")).toBe(" there")
  expect(fitted("Hi ", "there", " you")).toBe("there")
  expect(fitted("Hi", "there", "you")).toBe(" there ")
  expect(fitted("Hi", "there", "!")).toBe(" there")
  expect(fitted("Hi\n", "there", "")).toBe("there")
  expect(fitted("你好", "世界", "吗")).toBe("世界")
  expect(fitted("你好，", "world", "")).toBe("world")
})
