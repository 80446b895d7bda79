import { expect, test } from "vitest"

import { folderOf, join, kindOf, lineEndOf, nameOf } from "./kinds"

test("what a file is shown as is told by its name", () => {
  expect(["a.PNG", "b/c.mp4", "d.wav", "e.pdf", "f.xlsx", "g.go", "Makefile", ".png/x"].map(kindOf)).toEqual([
    "picture", "film", "sound", "pdf", "table", "text", "text", "text",
  ])
})

test("paths are put together and taken apart", () => {
  expect([join("/", "a"), join("/a", "b"), folderOf("/a/b"), folderOf("/a"), nameOf("/a/b")]).toEqual(["/a", "/a/b", "/a", "/", "b"])
})

test("lines end as they did when the file was opened", () => {
  expect(["a\r\nb\r\n", "a\nb", "a\r\nb\n", "", "a\rb"].map(lineEndOf)).toEqual(["\r\n", "\n", "\n", "\n", "\n"])
})
