import { describe, expect, it } from "vitest"

import type { Role } from "../../api/roles"
import { draftOf, linesOf, matches } from "./draft"

describe("patterns of tools", () => {
  it.each([
    ["Read", "read", true],
    ["Read", "ReadAll", false],
    ["*", "Anything", true],
    ["task_*", "task_read", true],
    ["task_*", "ask", false],
    ["a*b*c", "aXbYc", true],
    ["a*b*c", "aXc", false],
    ["ab*ba", "aba", false],
    ["a*b*b", "ab", false],
  ])("%s means %s: %s", (pattern, tool, means) => expect(matches(pattern, tool)).toBe(means))
})

const role: Role = {
  id: 0, revision: 0, source: "program", replaced: false, name: "planner", description: "Plans.", prompt: "You plan.", tools: ["Read", "task_*"], enabled: true, changed_at: "", changed_by: "",
}
const pool = ["Glob", "Read", "task_read", "task_wait"].map((name) => ({ name, description: "" }))

describe("a draft", () => {
  it("names the tools of the pool that a file means", () => expect(draftOf(role, pool).tools).toEqual(["Read", "task_read", "task_wait"]))
  it("keeps all tools as they are", () => expect(draftOf({ ...role, tools: ["*"] }, pool).tools).toEqual(["*"]))
  it("is compared by all that it says", () => expect(linesOf(draftOf(role, pool))).toContain("tool: task_wait\n\nYou plan."))
})
