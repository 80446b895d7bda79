import { expect, test } from "vitest"

import type { SubscribedModel } from "../api/models"
import { modelOf } from "./draft"
import { firstToTest, isChosen, isUnlisted, matching, withModel, withoutModel } from "./provider-models"

const haiku: SubscribedModel = { id: "anthropic/claude-haiku-5", max_context: 200_000 }

const offered: SubscribedModel[] = [
  { id: "anthropic/claude-sonnet-5", max_context: 1_000_000, vision: true, price: { input: 3, cached: 0.3, output: 15 } },
  haiku,
  { id: "openai/gpt-5-mini" },
]

test("a chosen model brings what the provider tells of it", () => {
  expect(withModel([], "anthropic/claude-sonnet-5", offered)).toEqual([
    { id: "anthropic/claude-sonnet-5", names: "", disabled: false, context: 1_000_000, output: undefined, vision: true, think: "", price: { input: 3, cached: 0.3, output: 15 } },
  ])
})

test("a model can be named that the provider does not list", () => {
  const chosen = withModel([], "  hidden-model ", offered)
  expect(chosen).toEqual([modelOf({ id: "hidden-model" })])
  expect(isUnlisted(offered, "hidden-model")).toBe(true)
  expect(isUnlisted(offered, "OpenAI/GPT-5-mini")).toBe(false)
  expect(isUnlisted([], "hidden-model")).toBe(false)
})

test("what was said of a chosen model stays when it is chosen again", () => {
  const mine = [{ ...modelOf(haiku), names: "quick", context: 64_000 }]
  expect(withModel(mine, "Anthropic/Claude-Haiku-5", offered)).toBe(mine)
  expect(isChosen(mine, "anthropic/claude-haiku-5")).toBe(true)
})

test("nothing is no model", () => {
  expect(withModel([], " ", offered)).toEqual([])
})

test("a model is taken out again, whatever the case", () => {
  const both = withModel(withModel([], "openai/gpt-5-mini", offered), "anthropic/claude-haiku-5", offered)
  expect(withoutModel(both, "OPENAI/gpt-5-mini").map(({ id }) => id)).toEqual(["anthropic/claude-haiku-5"])
})

test("a list is filtered by all words in any order", () => {
  expect(matching(offered, "sonnet anthropic").map(({ id }) => id)).toEqual(["anthropic/claude-sonnet-5"])
  expect(matching(offered, "")).toHaveLength(3)
  expect(matching(offered, "gemini")).toEqual([])
})

test("the first model that can be chosen is tested, else the first", () => {
  const off = { ...modelOf({ id: "a" }), disabled: true }
  expect(firstToTest([off, modelOf({ id: "b" })])).toBe("b")
  expect(firstToTest([off])).toBe("a")
  expect(firstToTest([])).toBeUndefined()
})
