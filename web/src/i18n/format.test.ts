import { expect, test } from "vitest"

import type { Translate } from "."
import { duration, money, tokens, wholeDuration } from "./format"

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

test.each([
  [0, "0"],
  [999, "999"],
  [999.6, "1 k"],
  [1234, "1.2 k"],
  [38_400, "38 k"],
  [200_000, "200 k"],
  [1_250_000, "1.3 M"],
])("%d tokens", (n, expected) => {
  expect(tokens("en", n)).toBe(expected.replace(" ", "\u00a0"))
})

test("small amounts of money are not zero", () => {
  expect(money("en", "USD", 3.2)).toBe("US$3.20")
  expect(money("en", "USD", 0.0042)).toBe("US$0.0042")
})
