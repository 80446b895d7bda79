import { describe, expect, test } from "vitest"

import type { ServerCommand } from "../../api/types"
import { allCommands, completions, directivesIn, isBang, isWhole, matchingCommands, type Names, ownCommand } from "./commands"
import { documentOf } from "./message-text"
import { optionsFor } from "./options"
import { recall, sentTexts } from "./recall"

const said = (key: string) => key
const of = (group: string, name: string, over: Partial<ServerCommand>): ServerCommand => ({
  name, usage: `/${name}`, queued: false, inline: false, who: "anyone", help: {}, ...over, group: group as "server",
})
const served: ServerCommand[] = [
  of("server", "help", { aliases: null, help: { en: "lists" } }),
  of("model", "think", { aliases: ["t"], args: "[off|high]", words: ["off", "high"], help: { en: "thinks" } }),
  of("model", "model", { args: "[MODEL|default]", words: ["default"], queued: true, help: { en: "answers" } }),
  of("folder", "runner", { args: "[use NAME|use default|revoke NAME]", words: ["use ", "use default", "revoke "], help: { en: "runs" } }),
  of("unheard of", "approve", { args: "[note]", help: { en: "allows", zh: "允许" } }),
  of("context", "compact", { aliases: ["compress"], args: "[focus]", queued: true, help: { en: "compresses", zh: "压缩" } }),
  of("conversation", "new", { args: "[MODEL] [text]", queued: true, help: { en: "begins" } }),
  of("context", "status", { inline: true, help: { en: "tells" } }),
  of("server", "config", { who: "admin", help: { en: "sets" } }),
]

const noNames: Names = { models: [], runners: [] }
const known: Names = { models: ["gpt", "sonnet"], runners: [{ name: "local", revocable: false }, { name: "laptop", revocable: true }] }

describe("commands", () => {
  const commands = allCommands(said, "en", served, true)
  const names = (text: string) => matchingCommands(commands, text).map((command) => command.name)

  test("a slash alone lists all by group, a beginning those that match, anything else none", () => {
    expect(names("/")).toEqual(["stop", "help", "new", "think", "model", "compact", "status", "runner", "config", "approve"])
    expect(names("/S")).toEqual(["stop", "status"])
    expect(names("/x")).toEqual([])
    expect(names("/stop now")).toEqual([])
    expect(names("see /stop")).toEqual([])
  })

  test("who is no administrator is not told of what only administrators may use", () => {
    expect(allCommands(said, "en", served, false).map(({ name }) => name)).not.toContain("config")
  })

  test("a command is found by its other names, and whole is one of them", () => {
    expect(names("/compr")).toEqual(["compact"])
    const compact = commands.find(({ name }) => name === "compact")
    expect(compact && ["/comp", "/compact", "/Compress", "/compact x"].map((text) => isWhole(compact, text))).toEqual([false, true, true, false])
  })

  test("help of the server speaks the reader's language, English where it cannot", () => {
    const help = (language: "en" | "zh") => allCommands(said, language, served, false).find(({ name }) => name === "compact")?.help
    expect([help("en"), help("zh")]).toEqual(["compresses", "压缩"])
  })

  test("only a whole message is a command of the page, and what the server carries out is sent", () => {
    expect(ownCommand(" /stop ")).toBe("stop")
    expect(ownCommand("／stop")).toBe("stop")
    for (const text of ["/stop it", "/stopp", "stop", "/approve", "/compact", "/new"]) expect(ownCommand(text)).toBeUndefined()
  })

  test("a bang has something behind it and stands first", () => {
    expect(["!ls", "! ls", "  !ls"].map(isBang)).toEqual([true, true, true])
    expect(["!", "!  ", "wow!", "a !ls"].map(isBang)).toEqual([false, false, false, false])
  })

  test("words behind a command are completed: what it takes, and models where it takes one", () => {
    const words = (text: string) => completions(commands, text, known).map(({ word }) => word)
    expect(words("/think ")).toEqual(["off", "high"])
    expect(words("/t H")).toEqual(["high"])
    expect(words("/think high")).toEqual([])
    expect(words("/model ")).toEqual(["gpt", "sonnet", "default"])
    expect(words("/new g")).toEqual(["gpt"])
    expect(words("/new gpt hello")).toEqual([])
    expect(completions(commands, "/runner u", noNames)[0]).toEqual({ text: "/runner use ", word: "use" })
    expect(words("/help ")).toEqual([])
  })

  test("runners are completed where one may be named, and only those that can be revoked where one is to be", () => {
    const words = (text: string) => completions(commands, text, known).map(({ word }) => word)
    expect(words("/runner ")).toEqual(["use", "use default", "revoke"])
    expect(words("/runner use ")).toEqual(["use local", "use laptop", "use default"])
    expect(words("/runner use la")).toEqual(["use laptop"])
    expect(words("/runner revoke ")).toEqual(["revoke laptop"])
  })

  test("directives and inline commands are found in a message, other slashes are words", () => {
    const found = (text: string) => directivesIn(commands, text).map(({ from, to }) => text.slice(from, to))
    expect(found("/think high why is it so")).toEqual(["/think high"])
    expect(found("why /t:off is it so /status please")).toEqual(["/t:off", "/status"])
    expect(found("see /usr/think and /model gpt")).toEqual([])
    expect(found("/model gpt")).toEqual(["/model"])
    expect(found("/think hard")).toEqual(["/think"])
  })

  test("a typed name offers commands, a space behind it words, and a finished one is sent by Enter", () => {
    expect(optionsFor(commands, "/mod", noNames)).toMatchObject([{ name: "/model", text: "/model ", whole: false }])
    expect(optionsFor(commands, "/model", noNames)[0]?.whole).toBe(true)
    expect(optionsFor(commands, "/sto", noNames)).toMatchObject([{ does: "stop" }])
    expect(optionsFor(commands, "/runner u", noNames)[0]).toMatchObject({ name: "use", text: "/runner use " })
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

  test("knows a message before the server does", () => {
    expect(sentTexts({ messages: [], queued: [] }, [{ text: "/think low" }])).toEqual(["/think low"])
  })
})

test("a text becomes one paragraph a line, empty ones and indents included", () => {
  const lines = documentOf("a\r\n\n  b").content?.map((line) => line.content?.[0]?.text ?? "")
  expect(lines).toEqual(["a", "", "  b"])
})
