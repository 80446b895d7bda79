import { describe, expect, test } from "vitest"

import type { ServerCommand } from "../api/types"
import { allCommands, isBang, isWhole, matchingCommands, ownCommand } from "./commands"
import { recall } from "./recall"
import { documentOf } from "./text"

const said = (key: string) => key
const served: ServerCommand[] = [
  { name: "approve", args: "[note]", queued: false, help: { en: "allows", zh: "允许" } },
  { name: "compact", aliases: ["compress"], args: "[focus]", queued: true, help: { en: "compresses", zh: "压缩" } },
  { name: "help", aliases: null, queued: false, help: { en: "lists" } },
  { name: "rewind", queued: true, help: { en: "goes back" } },
]

describe("commands", () => {
  const commands = allCommands(said, "en", served)
  const names = (text: string) => matchingCommands(commands, text).map((command) => command.name)

  test("a slash alone lists all, a beginning those that match, anything else none", () => {
    expect(names("/")).toEqual(["new", "stop", "help", "approve", "compact", "rewind"])
    expect(names("/S")).toEqual(["stop"])
    expect(names("/x")).toEqual([])
    expect(names("/stop now")).toEqual([])
    expect(names("see /stop")).toEqual([])
  })

  test("a command is found by its other names, and whole is one of them", () => {
    expect(names("/compr")).toEqual(["compact"])
    const compact = commands.find(({ name }) => name === "compact")
    expect(compact && ["/comp", "/compact", "/Compress", "/compact x"].map((text) => isWhole(compact, text))).toEqual([false, true, true, false])
  })

  test("help of the server speaks the reader's language, English where it cannot", () => {
    const help = (language: "en" | "zh") => allCommands(said, language, served).filter(({ remote }) => remote).map((command) => command.help)
    expect(help("zh")).toEqual(["允许", "压缩", "goes back"])
    expect(help("en")).toEqual(["allows", "compresses", "goes back"])
  })

  test("only a whole message is a command of the page, and what the server carries out is sent", () => {
    expect(ownCommand(" /stop ")).toBe("stop")
    for (const text of ["/stop it", "/stopp", "stop", "/approve", "/compact"]) expect(ownCommand(text)).toBeUndefined()
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
