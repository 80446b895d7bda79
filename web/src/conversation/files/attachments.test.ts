import { describe, expect, it } from "vitest"

import { attachedFiles } from "./attachments"

describe("toldFiles", () => {
  it("takes the lines about files from the end of a message", () => {
    const text = "look\n[file: a (1).png · 12 bytes · /home/a [1].png]\n[image: image 2 · not fetched: it is too large]\n[quoted file: b.txt · removed, it was old]"
    expect(attachedFiles(text)).toEqual({
      words: "look",
      files: [
        { name: "a (1).png", size: 12, path: "/home/a [1].png" },
        { name: "image 2", problem: "it is too large" },
        { name: "b.txt", problem: "removed, it was old" },
      ],
    })
    expect(attachedFiles("[file: a · 1 bytes · /a]")).toEqual({ words: "", files: [{ name: "a", size: 1, path: "/a" }] })
    expect(attachedFiles("[file: a · 1 bytes · PDF of 3 pages, for Read · /a]")).toEqual({ words: "", files: [{ name: "a", size: 1, path: "/a" }] })
    expect(attachedFiles("[image: a · 1 bytes · not shown as a picture: it is broken · /a]")).toEqual({ words: "", files: [{ name: "a", size: 1, path: "/a" }] })
  })
  it("leaves lines within a message, and what only looks alike", () => {
    for (const text of ["[file: a · 1 bytes · /a]\nis this it?", "[file: a]", "[file: a · many bytes · /a]", ""]) expect(attachedFiles(text)).toEqual({ words: text, files: [] })
  })
})
