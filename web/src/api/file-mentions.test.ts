import { describe, expect, it } from "vitest"

import { fileWord, partFiles } from "./file-mentions"

const [a, b] = [fileWord("/home/a [1].png"), fileWord("/b.txt")]

describe("partFiles", () => {
  it("takes files before and after all words out of them", () => {
    expect(partFiles(`${a} look at this ${b} ${a}\n`)).toEqual({ words: "look at this", files: ["/home/a [1].png", "/b.txt"] })
    expect(partFiles(`${a} ${b}`)).toEqual({ words: "", files: ["/home/a [1].png", "/b.txt"] })
  })
  it("leaves a file in the sentence that names it", () => {
    expect(partFiles(`is ${a} newer than ${b}?`)).toEqual({ words: `is ${a} newer than ${b}?`, files: ["/home/a [1].png", "/b.txt"] })
  })
  it("leaves commands, paths that are not absolute, and more files than a message may have", () => {
    for (const text of [`!cat\n${b}`, `/goal ${b}`, "see [file: a]", Array.from({ length: 21 }, (_, i) => fileWord(`/f${i}`)).join(" ")]) {
      expect(partFiles(text)).toEqual({ words: text, files: [] })
    }
  })
})
