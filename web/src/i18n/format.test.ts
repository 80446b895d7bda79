import { expect, test } from "vitest"

import { duration, wholeDuration } from "./format"
import type { Translate } from "./index"

/** Puts the values behind the key's last word. */
const t: Translate = (key, values) => `${key.split(".")[1]} ${Object.values(values ?? {}).join(" ")}`

test.each([
  [0, "milliseconds 1"],
  [42.4, "milliseconds 42"],
  [100, "seconds 0.1"],
  [9_940, "seconds 9.9"],
  [9_960, "seconds 10"],
  [59_600, "minutes 1 0"],
  [185_000, "minutes 3 5"],
  [7_860_000, "hours 2 11"],
])("%d ms", (milliseconds, expected) => {
  expect(duration(t, milliseconds)).toBe(expected)
})

test("a duration that grows is told in whole seconds", () => {
  expect(wholeDuration(t, 3.4)).toBe("seconds 3")
  expect(wholeDuration(t, -1)).toBe("seconds 0")
})
