import { type Editor, Extension } from "@tiptap/core"
import { Plugin, PluginKey } from "@tiptap/pm/state"
import { Decoration, DecorationSet } from "@tiptap/pm/view"

import type { Span } from "./commands"

/** A part of an editor's text that looks different; `look` is a class, `tip` is shown for it. */
export interface Mark extends Span {
  look: string
  tip?: string
}

const key = new PluginKey<DecorationSet>("marks")

/** Lets parts of the text look different without being anything else. */
export const Marks = Extension.create({
  name: "marks",
  addProseMirrorPlugins: () => [
    new Plugin<DecorationSet>({
      key,
      state: {
        init: () => DecorationSet.empty,
        apply: (transaction, before) => {
          const told = transaction.getMeta(key) as DecorationSet | undefined
          return told ?? before.map(transaction.mapping, transaction.doc)
        },
      },
      props: { decorations: (state) => key.getState(state) },
    }),
  ],
})

/** Draws the marks of a text whose lines are the paragraphs of the document, in place of those before. */
export function decorations(editor: Editor, marks: Mark[]): void {
  const { state, view } = editor
  if (marks.length === 0 && key.getState(state) === DecorationSet.empty) return
  const starts = lineStarts(editor)
  const size = state.doc.content.size
  const drawn = marks.flatMap(({ from, to, look, tip }) => {
    const [start, end] = [positionOf(starts, from), positionOf(starts, to)]
    return end <= size && start < end ? [Decoration.inline(start, end, { class: look, ...(tip ? { "data-tip": tip } : {}) })] : []
  })
  view.dispatch(state.tr.setMeta(key, drawn.length === 0 ? DecorationSet.empty : DecorationSet.create(state.doc, drawn)).setMeta("addToHistory", false))
}

/** Where the lines of an editor's text begin, in characters. */
export function lineStarts(editor: Editor): number[] {
  const starts: number[] = []
  let at = 0
  editor.state.doc.forEach((line) => {
    starts.push(at)
    at += line.content.size + 1
  })
  return starts
}

/** The position in the document of a character of the text: a line's end and the next one's beginning are two. */
export function positionOf(starts: number[], at: number): number {
  let line = starts.length - 1
  while (line > 0 && (starts[line] ?? 0) > at) line--
  return at + 1 + line
}
