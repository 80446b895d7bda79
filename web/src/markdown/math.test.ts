import { expect, test } from "vitest"

import { mayHaveMath, unifyMath } from "./math"

test.each([
  ["inline parentheses", String.raw`so \(a+b\) holds`, "so $$a+b$$ holds"],
  ["inline brackets", String.raw`\[ x^2 \]`, "$$x^2$$"],
  ["a display of its own lines", "\\[\nx\n\\]", "\n$$\nx\n$$\n"],
  ["single dollars", "where $x_1$ and $y$.", "where $$x_1$$ and $$y$$."],
  ["double dollars stay", "$$x$$ and\n$$\ny\n$$", "$$x$$ and\n$$\ny\n$$"],
  ["money stays", "from $5 to $10, or $7.", "from $5 to $10, or $7."],
  ["shell variables stay", "echo $HOME and $PATH", "echo $HOME and $PATH"],
  ["code spans stay", "`$x$` but $x$", "`$x$` but $$x$$"],
  ["fences stay", "```sh\necho $a$b $c$\n```\n$x$", "```sh\necho $a$b $c$\n```\n$$x$$"],
  ["open fences stay", "```sh\necho $a$ `", "```sh\necho $a$ `"],
])("%s", (_, text, expected) => {
  expect(unifyMath(text)).toBe(expected)
})

test("formulas are noticed, plain text is not", () => {
  expect(mayHaveMath("price: 5 $ each")).toBe(false)
  expect(mayHaveMath("a (b) [c]")).toBe(false)
  expect(mayHaveMath("$x$")).toBe(true)
  expect(mayHaveMath(String.raw`\[x\]`)).toBe(true)
})
