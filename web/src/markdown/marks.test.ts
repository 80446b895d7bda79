import { expect, test } from "vitest"

import { showFiles } from "./marks"

test("a mark for a file becomes what shows it", () => {
  expect(showFiles("here: <<FILE:out/a b.png>>.", false)).toBe("here: ![a b.png](<out/a b.png>).")
  expect(showFiles("<<FILE:>> <<FILE:a\nb>> a << b >> c", false)).toBe("<<FILE:>> <<FILE:a\nb>> a << b >> c")
})

test("in a growing text a mark is a picture once it is whole, and nothing before", () => {
  const whole = "Look: <<FILE:/generated/a b.png>>"
  expect(showFiles(whole, true)).toBe("Look: ![a b.png](</generated/a b.png>)")
  for (let at = 7; at < whole.length; at++) expect(showFiles(whole.slice(0, at), true)).toBe("Look: ".slice(0, Math.min(at, 6)))
})

test("what is no mark stays as it is", () => {
  expect(showFiles("a < b <", false)).toBe("a < b <")
  expect(showFiles("1 < 2", true)).toBe("1 < 2")
})
