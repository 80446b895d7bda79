import { expect, test } from "vitest"

import { folderOf, isPath, join, kindOf, lineEndOf, nameOf } from "./kinds"

test("what a file is shown as is told by its name", () => {
  expect(["a.PNG", "b/c.mp4", "d.wav", "e.pdf", "f.xlsx", "g.go", "Makefile", ".png/x"].map(kindOf)).toEqual([
    "picture", "film", "sound", "pdf", "table", "text", "text", "text",
  ])
})

test("paths are told from addresses of the web", () => {
  expect(["out/a.png", "/tmp/a.png", "./x", "a b.pdf", "/files/a.png", "/code/x"].every(isPath)).toBe(true)
  expect(["https://x.org/a.png", "//x.org/a", "mailto:a@b.c", "#there", "javascript:alert(1)", "data:image/png;base64,x", "", "?x", `/files/${"eyJ1Ijox.".repeat(9)}`, "/c/agent:main", "/temporal/x"].some(isPath)).toBe(false)
})

test("paths are put together and taken apart", () => {
  expect([join("/", "a"), join("/a", "b"), folderOf("/a/b"), folderOf("/a"), nameOf("/a/b")]).toEqual(["/a", "/a/b", "/a", "/", "b"])
})

test("lines end as they did when the file was opened", () => {
  expect(["a\r\nb\r\n", "a\nb", "a\r\nb\n", "", "a\rb"].map(lineEndOf)).toEqual(["\r\n", "\n", "\n", "\n", "\n"])
})
