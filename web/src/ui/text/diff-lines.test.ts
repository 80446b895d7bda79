import { describe, expect, test } from "vitest"

import { diffOf, folded } from "./diff-lines"

const signs = { same: " ", gone: "-", new: "+", skipped: "…" }
const drawn = (before: string[], after: string[]) => diffOf(before.join("\n"), after.join("\n")).map(({ kind, text }) => signs[kind] + text)

describe("the difference of two texts", () => {
  test("names lines that are gone, are new, or stay", () => {
    expect(drawn(["a", "b", "c"], ["a", "x", "c"])).toEqual([" a", "-b", "+x", " c"])
    expect(drawn(["a", "b", "c", "d"], ["b", "c", "e", "d"])).toEqual(["-a", " b", " c", "+e", " d"])
    expect(drawn(["same"], ["same"])).toEqual([" same"])
  })

  test("of nothing and a text is the text", () => {
    expect(drawn([], ["a", "b"])).toEqual(["+a", "+b"])
    expect(drawn(["a"], [])).toEqual(["-a"])
    expect(drawn([], [])).toEqual([])
  })

  test("leads from the one to the other, whatever they are, with no more changes than needed", () => {
    let seed = 7
    const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below
    const some = () => Array.from({ length: random(12) }, () => "abcd"[random(4)] ?? "")
    for (let round = 0; round < 300; round++) {
      const [before, after] = [some(), some()]
      const diff = diffOf(before.join("\n"), after.join("\n"))
      expect(diff.filter(({ kind }) => kind !== "new").map(({ text }) => text)).toEqual(before)
      expect(diff.filter(({ kind }) => kind !== "gone").map(({ text }) => text)).toEqual(after)
      expect(diff.filter(({ kind }) => kind === "same")).toHaveLength(longestCommon(before, after))
    }
  })

  test("of long texts without anything in common does not take long", () => {
    const all = (letter: string) => Array.from({ length: 8000 }, (_, n) => `${letter}${n}`)
    expect(drawn(["{", ...all("a"), "}"], ["{", ...all("b"), "}"])).toHaveLength(16_002)
  })

  test("is folded where nothing changes", () => {
    const before = ["1", "2", "3", "4", "5", "6", "7", "8", "9"]
    const diff = folded(diffOf(before.join("\n"), before.with(5, "six").join("\n")), 1)
    expect(diff.map((line) => (line.kind === "skipped" ? `…${line.count}` : signs[line.kind] + line.text))).toEqual(["…4", " 5", "-6", "+six", " 7", "…2"])
  })
})

function longestCommon(a: string[], b: string[]): number {
  const best = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  const of = (i: number, j: number) => best[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const row = best[i]
      if (row) row[j] = a[i - 1] === b[j - 1] ? of(i - 1, j - 1) + 1 : Math.max(of(i - 1, j), of(i, j - 1))
    }
  }
  return of(a.length, b.length)
}
