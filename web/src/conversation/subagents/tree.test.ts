import { expect, test } from "vitest"

import type { Subagent } from "../../api/subagents"
import { isBusy, nameOf, treeOf } from "./tree"

const agent = (session: string, parent: string, more: Partial<Subagent> = {}): Subagent => ({
  session, parent, role: "coder", depth: 1, state: "done", task: "", steps: 0, tokens: 0, created_at: "2026-11-22T05:00:00Z", ...more,
})

test("subagents stand below whoever asked them, the oldest first", () => {
  const tree = treeOf([agent("c", "a"), agent("b", "root"), agent("a", "root")])
  expect(tree.map((node) => node.agent.session)).toEqual(["a", "b"])
  expect(tree[0]?.below.map((node) => node.agent.session)).toEqual(["c"])
})

test("a subagent whose parent is not listed is not lost", () => {
  expect(treeOf([agent("x", "gone")])).toHaveLength(1)
})

test("a name is a role, with its instance where it stays", () => {
  expect(nameOf(agent("a", "r"))).toBe("coder")
  expect(nameOf(agent("a", "r", { instance: "b" }))).toBe("coder:b")
})

test("who waits for a turn is busy, who waits for a task is not", () => {
  expect(isBusy(agent("a", "r", { state: "queued" }))).toBe(true)
  expect(isBusy(agent("a", "r", { state: "idle" }))).toBe(false)
})
