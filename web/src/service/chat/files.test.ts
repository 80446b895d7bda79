import { expect, test } from "vitest"

import { addressOf, generatedFile, kindOf } from "./files"

test("files are found however an answer writes their path, and nothing else is", () => {
  for (const written of ["/generated/images/a.png", "generated/images/a.png", "./images/a.png", "images/a.png"]) expect(generatedFile(written)?.path).toBe("images/a.png")
  expect(generatedFile("/generated/Plan%20B.pdf#page=2")).toEqual({ path: "Plan B.pdf", anchor: "page=2" })
  expect(generatedFile("100% sure.txt")?.path).toBe("100% sure.txt")
  for (const elsewhere of ["https://evil.example/a.png", "//evil.example/a.png", "data:image/png;base64,AA", "javascript:alert(1)", "\\\\evil\\a.png", "#a", "?a", "", "/generated/"]) {
    expect(generatedFile(elsewhere)).toBeUndefined()
  }
})

test("no path leads out of the folder, also not an encoded one", () => {
  for (const out of ["../service", "/generated/../../x", "a/%2e%2e/%2e%2e/b", "a/./b", "a//b", "%2e%2e/b", "a\\..\\b", "..%2fb"]) expect(generatedFile(out)).toBeUndefined()
})

test("an address holds the token, and names as they are", () => {
  expect(addressOf({ conversation: "c1", from: "files", path: "images/a b#c?.png" }, "t+/=")).toBe("/api/v1/conversations/c1/files/images/a%20b%23c%3F.png?token=t%2B%2F%3D")
})

test("a page of HTML or a picture with scripts is saved, not shown", () => {
  expect(["a.png", "a.MP3", "a.webm", "a.pdf", "a.html", "a.svg", "a"].map(kindOf)).toEqual(["picture", "sound", "film", "pdf", "other", "other", "other"])
})
