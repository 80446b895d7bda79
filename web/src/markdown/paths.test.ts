import { expect, test } from "vitest"

import { isPath } from "./paths"

test("paths are told from addresses of the web", () => {
  expect(["out/a.png", "/tmp/a.png", "./x", "a b.pdf", "/files/a.png", "/code/x"].every(isPath)).toBe(true)
  expect(["https://x.org/a.png", "//x.org/a", "mailto:a@b.c", "#there", "javascript:alert(1)", "data:image/png;base64,x", "", "?x", `/files/${"eyJ1Ijox.".repeat(9)}`, "/c/agent:main", "/temporal/x"].some(isPath)).toBe(false)
})
