import { describe, expect, test } from "vitest"

import { commandOf, isBang, matchingCommands } from "./commands"
import { recall } from "./recall"
import { documentOf } from "./text"

describe("commands", () => {
  const names = (text: string) => matchingCommands(text).map((command) => command.name)

  test("a slash alone lists all, a beginning those that match, anything else none", () => {
    expect(names("/")).toEqual(["new", "stop", "approve", "deny", "runner", "help"])
    expect(names("/S")).toEqual(["stop"])
    expect(names("/x")).toEqual([])
    expect(names("/stop now")).toEqual([])
    expect(names("see /stop")).toEqual([])
  })

  test("only a whole message is a command", () => {
    expect(commandOf(" /stop ")?.name).toBe("stop")
    expect(commandOf("/stop it")).toBeUndefined()
    expect(commandOf("/stopp")).toBeUndefined()
    expect(commandOf("stop")).toBeUndefined()
  })

  test("what the server carries out is sent like a message", () => {
    expect(names("/r")).toEqual(["runner"])
    expect(commandOf("/runner")).toBeUndefined()
    expect(commandOf("/approve")).toBeUndefined()
  })

  test("a bang has something behind it and stands first", () => {
    expect(["!ls", "! ls", "  !ls"].map(isBang)).toEqual([true, true, true])
    expect(["!", "!  ", "wow!", "a !ls"].map(isBang)).toEqual([false, false, false, false])
  })
})

describe("recall", () => {
  const sent = ["one", "two"]

  test("goes back to the oldest and forward to the empty box", () => {
    expect(recall(sent, 0, 1)).toEqual({ at: 1, text: "two" })
    expect(recall(sent, 1, 1)).toEqual({ at: 2, text: "one" })
    expect(recall(sent, 2, 1)).toBeUndefined()
    expect(recall(sent, 1, -1)).toEqual({ at: 0, text: "" })
    expect(recall(sent, 0, -1)).toBeUndefined()
    expect(recall([], 0, 1)).toBeUndefined()
  })
})

test("a text becomes one paragraph a line, empty ones and indents included", () => {
  const lines = documentOf("a\r\n\n  b").content?.map((line) => line.content?.[0]?.text ?? "")
  expect(lines).toEqual(["a", "", "  b"])
})
