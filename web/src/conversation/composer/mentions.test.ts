import { expect, test } from "vitest"

import { mentionsOf, typedMention } from "./mentions"

test("an @ at the beginning of a word asks for files, within a word or a command it does not", () => {
  expect(typedMention("@")).toBe("")
  expect(typedMention("look at @src/ma")).toBe("src/ma")
  expect(typedMention("line\n@x")).toBe("x")
  for (const none of ["a@b", "@a ", "look", "/model @x", "!cat @x", "@a@b"]) expect(typedMention(none)).toBeUndefined()
})

test("a file that is taken stands in the text as one that the message names", () => {
  expect(mentionsOf("look at @ma", "/proj", ["src/main.go"])).toEqual([{ id: "mention-0", name: "src/main.go", text: "look at [file: /proj/src/main.go] ", whole: false }])
  expect(mentionsOf("@x", "/", ["x"])[0]?.text).toBe("[file: /x] ")
})
