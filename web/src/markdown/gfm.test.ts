import { createElement } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import ReactMarkdown from "react-markdown"
import { expect, test } from "vitest"

import { readGfm } from "./gfm"

const drawn = (text: string) => renderToStaticMarkup(createElement(ReactMarkdown, { remarkPlugins: [readGfm] }, text))

test("emphasis ends beside Chinese, with punctuation on its inside", () => {
  expect(drawn("**注意：**请看这里")).toBe("<p><strong>注意：</strong>请看这里</p>")
  expect(drawn("这是**“重点”**。")).toBe("<p>这是<strong>“重点”</strong>。</p>")
  expect(drawn("使用*快速（排序）*算法")).toBe("<p>使用<em>快速（排序）</em>算法</p>")
})

test("what is no emphasis stays as it was written", () => {
  expect(drawn("2 * 3 * 4 与 snake_case_name")).toBe("<p>2 * 3 * 4 与 snake_case_name</p>")
  expect(drawn("~~旧~~ `**a**`")).toBe("<p><del>旧</del> <code>**a**</code></p>")
})
