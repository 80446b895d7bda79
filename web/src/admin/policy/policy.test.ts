import { describe, expect, test } from "vitest"

import { locate } from "./faults"
import { placesOf, tokensOf } from "./json5"

const text = `{
  // by hand
  session: { "reset": { mode: 'dialy', atHour: 4 } },
  agents: { list: [{ id: "main" }, { id: "ops", tools: { deny: ["Shell"] } }] },
}`

const kinds = (of: string) => tokensOf(of).map(({ kind, from, to }) => [kind, of.slice(from, to)])

describe("JSON5", () => {
  test("names, values and comments are told apart", () => {
    expect(kinds("{a: 'b', \"c\": -1.5e3, d: true} // x: 1")).toEqual([
      ["punctuation", "{"], ["key", "a"], ["punctuation", ":"], ["string", "'b'"], ["punctuation", ","],
      ["key", '"c"'], ["punctuation", ":"], ["number", "-1.5e3"], ["punctuation", ","],
      ["key", "d"], ["punctuation", ":"], ["word", "true"], ["punctuation", "}"], ["comment", "// x: 1"],
    ])
  })

  test("a text that is not finished is coloured as far as it goes", () => {
    expect(kinds('{"a": "b')).toEqual([["punctuation", "{"], ["key", '"a"'], ["punctuation", ":"], ["string", '"b']])
    expect(kinds("/* open")).toEqual([["comment", "/* open"]])
    expect(tokensOf("")).toEqual([])
  })

  test("every member and element has a path", () => {
    const paths = placesOf(text).map(({ path }) => path.join("."))
    expect(paths).toEqual([
      "session", "session.reset", "session.reset.mode", "session.reset.atHour", "agents", "agents.list",
      "agents.list.0", "agents.list.0.id", "agents.list.1", "agents.list.1.id", "agents.list.1.tools", "agents.list.1.tools.deny", "agents.list.1.tools.deny.0",
    ])
  })
})

describe("faults", () => {
  const at = (sentence: string) => {
    const [fault] = locate(text, [sentence])
    return [fault?.line, fault?.place && text.slice(fault.place.from, fault.place.to)]
  }

  test("are found by line and column, or by the line alone", () => {
    expect(at("line 3, column 14: unknown")).toEqual([3, '"reset"'])
    expect(at("line 4: something is wrong")).toEqual([4, "agents"])
    expect(at("line 99: far below")).toEqual([undefined, undefined])
  })

  test("are found by the longest path that the sentence names", () => {
    expect(at("session.reset.mode: dialy is none of none, daily, idle")).toEqual([3, "mode"])
    expect(at("agents.list[1].id is used twice")).toEqual([4, "id"])
    expect(at('unknown member "atHour"')).toEqual([3, "atHour"])
    expect(at("nothing of this is there")).toEqual([undefined, undefined])
  })
})
