import { describe, expect, it } from "vitest"

import { argumentsOf, draftOf } from "./call-draft"

describe("a call that is changed", () => {
  const json = JSON.stringify({ command: 'echo "a"\nls', timeout: 5, reason: "why" })

  it("stays what it was where nothing is written", () => {
    expect(argumentsOf(json, draftOf(json))).toEqual({ arguments: { command: 'echo "a"\nls', timeout: 5, reason: "why" } })
  })

  it("takes texts as they are written and everything else as JSON", () => {
    const draft = draftOf(json)
    expect(argumentsOf(json, { ...draft, texts: ["5", "7", "why"] })).toEqual({ arguments: { command: "5", timeout: 7, reason: "why" } })
    expect(argumentsOf(json, { ...draft, texts: ["5", "seven", "why"] })).toEqual({ wrong: "timeout" })
  })

  it("is one text where the model wrote no object, and has to become one", () => {
    const draft = draftOf('{"command": "ls')
    expect(draft.names).toBeUndefined()
    expect(argumentsOf('{"command": "ls', draft)).toEqual({ wrong: "" })
    expect(argumentsOf("", { texts: ['{"command": "ls"}'] })).toEqual({ arguments: { command: "ls" } })
  })
})
