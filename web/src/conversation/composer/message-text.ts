import type { JSONContent } from "@tiptap/core"

/** Bytes of UTF-8 that a message may have; the server's limit. */
export const LONGEST_MESSAGE = 200_000

/** A text as a document of the editor: one paragraph a line, so that nothing of it is lost or trimmed. */
export function documentOf(text: string): JSONContent {
  const lines = text.replace(/\r\n?/g, "\n").split("\n")
  return {
    type: "doc",
    content: lines.map((line) => ({ type: "paragraph", content: line === "" ? [] : [{ type: "text", text: line }] })),
  }
}
