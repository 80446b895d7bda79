import { describe, expect, it } from "vitest"

import { added, draftOf, isEdited, moved, stepsOf } from "./plan-draft"

const texts = (draft: { text: string }[]) => draft.map(({ text }) => text)

describe("a plan that is edited", () => {
  const draft = draftOf(["a", "b", "c"])

  it("moves a step within the list, and nowhere else", () => {
    expect(texts(moved(draft, 0, 1))).toEqual(["b", "a", "c"])
    expect(texts(moved(draft, 2, 1))).toEqual(["a", "c", "b"])
    expect(moved(draft, 0, -1)).toBe(draft)
    expect(moved(draft, 2, 3)).toBe(draft)
  })

  it("adds a step behind another one, with an id of its own", () => {
    const { draft: more, step } = added(draft, 0)
    expect(texts(more)).toEqual(["a", "", "b", "c"])
    expect(new Set(more.map(({ id }) => id)).size).toBe(4)
    expect(step.text).toBe("")
    expect(texts(added([], -1).draft)).toEqual([""])
  })

  it("sends a line each, without empty ones, and knows whether anything has changed", () => {
    expect(stepsOf([{ id: 0, text: " a \n b " }, { id: 1, text: " " }])).toEqual(["a b"])
    expect(isEdited(draft, ["a", "b", "c"])).toBe(false)
    expect(isEdited(added(draft, 2).draft, ["a", "b", "c"])).toBe(false)
    expect(isEdited(moved(draft, 0, 1), ["a", "b", "c"])).toBe(true)
  })
})
