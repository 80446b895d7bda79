import { expect, test } from "vitest"

import { prepare } from "./marks"

test("a mark is a picture once it is whole, and nothing before", () => {
  const whole = "Look: <<FILE:/generated/a b.png>>"
  expect(prepare(whole, true)).toBe("Look: ![a b.png](</generated/a b.png>)")
  for (let at = 7; at < whole.length; at++) expect(prepare(whole.slice(0, at), true)).toBe("Look: ".slice(0, Math.min(at, 6)))
})

test("what is no mark stands as it is", () => {
  expect(prepare("a < b <", false)).toBe("a < b <")
  expect(prepare("1 < 2", true)).toBe("1 < 2")
})
