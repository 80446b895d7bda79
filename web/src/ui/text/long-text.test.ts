import { expect, test } from "vitest"

import { ROW_LENGTH, rowsOf } from "./long-text"

test("rows are the lines of a text, without their ends", () => {
  expect(rowsOf("")).toEqual({ rows: [], cut: false })
  expect(rowsOf("a\nb\r\n\nc").rows).toEqual(["a", "b", "", "c"])
  expect(rowsOf("a\n").rows).toEqual(["a"])
  expect(rowsOf("\n\n").rows).toEqual(["", ""])
})

test("long lines are cut into pieces that lose nothing and split no character", () => {
  const line = "x".repeat(ROW_LENGTH - 1) + "😀".repeat(ROW_LENGTH)
  const { rows } = rowsOf(line)
  expect(rows.join("")).toBe(line)
  expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(ROW_LENGTH)
  for (const row of rows) expect(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/.test(row)).toBe(false)
})

test("more rows than can be drawn are cut, and it is said", () => {
  expect(rowsOf("1\n2\n3\n4", 3)).toEqual({ rows: ["1", "2", "3"], cut: true })
  expect(rowsOf("1\n2\n3", 3)).toEqual({ rows: ["1", "2", "3"], cut: false })
})
