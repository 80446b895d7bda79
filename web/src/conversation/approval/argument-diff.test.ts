import { describe, expect, it } from "vitest"

import { diffArguments } from "./argument-diff"

const changed = (before: object, after: object) => diffArguments(JSON.stringify(before), JSON.stringify(after)).split("\n").slice(2)

describe("diffArguments", () => {
  it("shows the lines that were changed, and those around them", () => {
    expect(changed({ path: "a", content: "one\ntwo\nthree" }, { path: "a", content: "one\n2\nthree\nfour" })).toEqual([
      " path: a", " content:", "   one", "-  two", "+  2", "   three", "+  four",
    ])
  })

  it("shows nothing as changed where nothing was", () => {
    expect(changed({ command: "ls" }, { command: "ls" })).toEqual([" command: ls"])
  })

  it("shows a text that is no object as it is", () => {
    expect(diffArguments("{half", "{}").split("\n").slice(2)).toEqual(["-{half"])
  })

  it("tells very long texts one after the other", () => {
    const long = (word: string) => ({ content: Array.from({ length: 600 }, (_, n) => `${word}${n}`).join("\n") })
    const lines = changed(long("a"), long("b"))
    expect(lines[1]).toBe("-  a0")
    expect(lines.at(-1)).toBe("+  b599")
    expect(lines).toHaveLength(1201)
  })
})
