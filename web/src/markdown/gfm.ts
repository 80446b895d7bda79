import { gfmFromMarkdown } from "mdast-util-gfm"
import { cjkFriendlyExtension } from "micromark-extension-cjk-friendly"
import { gfm } from "micromark-extension-gfm"
import type {} from "remark-parse" // declares the two lists below
import type { Processor } from "unified"

/**
 * Tables, task lists, strikethrough, bare links and footnotes. Like remark-gfm, but without the code that writes Markdown. Emphasis may
 * stand beside Chinese punctuation without blanks around it, as models write it.
 */
export function readGfm(this: Processor): void {
  const data = this.data()
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), gfm(), cjkFriendlyExtension()]
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), gfmFromMarkdown()]
}
