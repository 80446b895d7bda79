import katex from "katex"
import { expect, test } from "vitest"

import { isHeavyFormula } from "./formula-weight"
import { katexOptions } from "./katex-options"
import { isHeavy } from "./weight"

test.each([
  ["quotes in quotes", ">".repeat(50) + "a"],
  ["lists in lists", "- ".repeat(50) + "a"],
  ["numbers in numbers", "1. ".repeat(50) + "a"],
  ["a list far to the right", " ".repeat(300) + "- a"],
  ["emphasis that is not closed", "*a **a ".repeat(2000)],
  ["emphasis on many lines", "*a **a\n".repeat(2000)],
  ["brackets", "[".repeat(5000)],
  ["pictures", "![".repeat(5000)],
  ["backticks", "`a ``b ".repeat(2000)],
  ["HTML", "<a ".repeat(5000)],
  ["cells that rows leave out", `${"|a".repeat(1000)}|\n${"|-".repeat(1000)}|\n${"|\n".repeat(1000)}`],
  ["a fence that another one closes", "```\n`````\n" + "*a **a ".repeat(2000)],
  ["a fence in HTML", "<div>\n```\n\n" + "*a **a ".repeat(2000)],
  ["a fence in a list", "- a\n\n  ```\nb\n\n" + "*a **a ".repeat(2000)],
  ["a table, then a quote", "|a|\n|-|\n" + "> *a **a |\n".repeat(2000)],
])("%s stay as they are", (_, text) => {
  expect(isHeavy(text)).toBe(true)
})

// The server has the same cases (internal/channel/markdown/attack_test.go).
test.each([
  ["nothing", ""],
  ["prose", "A *word*, `code` and a [link](https://example.org/a_b).\n\n".repeat(2000)],
  ["a long paragraph", "Words with **emphasis** here, and `code`. ".repeat(300)],
  ["a list", "- **Name**: a [link](https://example.org) and `code` (*new*)\n".repeat(2000)],
  ["lists in lists", "- a\n  - b\n    - c\n      1. d\n".repeat(1000)],
  ["a table", "| a | b | c |\n| --- | :-: | --: |\n" + "| **x** | `y` | [z](https://example.org) |\n".repeat(3000)],
  ["code", "```js\n" + "a[b[0]] *= `${c}` && d_[e] ~ <f>;\n".repeat(5000) + "```\n"],
  ["code in tildes", "~~~\n" + "[[*]]\n".repeat(5000) + "~~~\n"],
  ["quoted mail", "> > > > > he wrote\n".repeat(2000)],
  ["several code blocks", "Text:\n\n```go\nx[i] = *p & q_\n```\n\n".repeat(1000)],
  ["Chinese", "**注意：**请看[这里](a.md)，然后*继续*。\n\n".repeat(1000)],
  ["a fence left open", "```\n" + "[*_`<\n".repeat(5000)],
  ["HTML beside code", "```html\n" + "<a href=x_y>*</a>\n".repeat(3000) + "```\n\nThat was it."],
])("%s is drawn", (_, text) => {
  expect(isHeavy(text)).toBe(false)
})

test.each([
  ["length", "x+".repeat(3000)],
  ["fractions in fractions", "\\frac{".repeat(30) + "x" + "}{y}".repeat(30)],
  ["accents in accents", "\\hat{".repeat(30) + "x" + "}^2".repeat(30)],
  ["powers of powers", "x^{".repeat(30) + "x" + "}".repeat(30)],
  ["macros that multiply", `\\def\\a{${"x".repeat(400)}}${"\\a".repeat(400)}`],
  ["text far above", "\\raisebox{99999em}{x}"],
  ["macros that double", "\\newcommand{\\a}{xx}" + "\\newcommand{\\b}{\\a\\a}".repeat(30)],
])("a formula of %s stays code", (_, formula) => {
  expect(isHeavyFormula(formula)).toBe(true)
})

test.each([
  String.raw`\frac{-b \pm \sqrt{b^2 - 4ac}}{2a}`,
  String.raw`\int_{-\infty}^{\infty} e^{-x^2}\,dx = \sqrt{\pi}`,
  String.raw`\begin{pmatrix} a_{11} & \cdots & a_{1n} \\ \vdots & \ddots & \vdots \\ a_{m1} & \cdots & a_{mn} \end{pmatrix}`,
  String.raw`\left\{ \begin{aligned} x &= \frac{\partial}{\partial t}\left(\sum_{i=1}^{n}{\frac{1}{i^{2}}}\right) \end{aligned} \right.`,
  String.raw`\newcommand{\foo}{\mathbb{R}} f: \foo \to \foo`,
])("%s is set", (formula) => {
  expect(isHeavyFormula(formula)).toBe(false)
  expect(katex.renderToString(formula, katexOptions)).not.toContain("katex-error")
})

/** Returns the tags of a formula with their attributes, without its text. */
const tagsOf = (formula: string): string => katex.renderToString(formula, katexOptions).replace(/>[^<]*</g, "><")

test.each([
  String.raw`\href{javascript:alert(1)}{x}`,
  String.raw`\url{javascript:alert(1)}`,
  String.raw`\includegraphics{https://example.org/x.png}`,
  String.raw`\htmlData{a=b}{x}`,
  String.raw`\htmlStyle{position:fixed}{x}`,
  String.raw`\htmlId{root}{x}`,
  String.raw`\htmlClass{fixed}{x}`,
  String.raw`\text{<img src=x onerror=alert(1)>}`,
  String.raw`\def\a{\a}\a`,
  String.raw`\def\a{\a\a}\a`,
])("%s reaches nothing", (formula) => {
  expect(tagsOf(formula)).not.toMatch(/<(?:a|img|script)\b|\b(?:id|data-a|onerror)=|position:\s*fixed|class="fixed/)
})

test.each([String.raw`\rule{99999em}{99999em}`, String.raw`\hspace{99999em}x`, String.raw`x\\[99999em]y`, String.raw`\kern99999em x`])("%s is as large as a formula", (formula) => {
  const lengths = [...tagsOf(formula).matchAll(/(-?[\d.]+)em/g)].map(([, em]) => Math.abs(Number(em)))
  expect(Math.max(...lengths)).toBeLessThan(50)
})
