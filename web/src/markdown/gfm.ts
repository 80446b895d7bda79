import { gfmFromMarkdown } from "mdast-util-gfm"
import { gfm } from "micromark-extension-gfm"
import type {} from "remark-parse" // declares the two lists below
import type { Processor } from "unified"

/** Tables, task lists, strikethrough, bare links and footnotes. Like remark-gfm, but without the code that writes Markdown. */
export function readGfm(this: Processor): void {
  const data = this.data()
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), gfm()]
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), gfmFromMarkdown()]
}
