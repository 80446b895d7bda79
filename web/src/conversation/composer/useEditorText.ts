import { Document } from "@tiptap/extension-document"
import { Paragraph } from "@tiptap/extension-paragraph"
import { Text } from "@tiptap/extension-text"
import { Placeholder } from "@tiptap/extensions/placeholder"
import { UndoRedo } from "@tiptap/extensions/undo-redo"
import { Fragment, type Schema, Slice } from "@tiptap/pm/model"
import { type Command, type Editor, useEditor } from "@tiptap/react"
import { useEffect, useRef } from "react"

import type { Span } from "./commands"
import { decorations, Marks } from "./decorations"
import { fitted, takeInsertions } from "./dictation/insert"
import { documentOf } from "./message-text"

interface Options {
  label: string
  placeholder: string
  text: string
  /** Parts of the text that are commands rather than words. */
  marked: Span[]
  onText: (text: string) => void
  /** A key was pressed; true means that it is dealt with. */
  onKey: (event: KeyboardEvent, editor: Editor) => boolean
  /** Files were pasted. */
  onFiles: (files: File[]) => void
}

/** A line of the text. Shift+Enter begins the next one; Enter is the composer's. */
const Line = Paragraph.extend({
  addKeyboardShortcuts() {
    return { "Shift-Enter": () => this.editor.commands.splitBlock() }
  },
})

/** The lines of the editor as a text. */
const textOf = (editor: Editor): string => editor.getText({ blockSeparator: "\n" })

/** A plain-text editor: lines only, undo, a placeholder. What is pasted comes in as text. */
export function useEditorText({ label, placeholder, text, marked, onText, onKey, onFiles }: Options): Editor {
  const live = useRef({ onKey, onText, onFiles, placeholder })
  useEffect(() => {
    live.current = { onKey, onText, onFiles, placeholder }
  })
  const editor: Editor = useEditor({
    immediatelyRender: true,
    injectCSS: false,
    // eslint-disable-next-line react-hooks/refs -- the editor asks later, never while the component is drawn
    extensions: [Document, Line, Text, UndoRedo, Placeholder.configure({ placeholder: () => live.current.placeholder }), Marks],
    content: documentOf(text),
    editorProps: {
      attributes: { id: "message", class: "editor", role: "textbox", "aria-multiline": "true", "aria-label": label },
      handleKeyDown: (_, event) => live.current.onKey(event, editor),
      handlePaste: (view, event) => {
        const files = [...(event.clipboardData?.files ?? [])]
        if (files.length > 0) {
          live.current.onFiles(files)
          return true
        }
        const pasted = event.clipboardData?.getData("text/plain")
        if (!pasted) return false
        view.dispatch(view.state.tr.replaceSelection(sliceOf(pasted, view.state.schema)).scrollIntoView())
        return true
      },
    },
    onUpdate: ({ editor: changed }) => live.current.onText(textOf(changed)),
  })
  useEffect(() => {
    // The text was changed from outside: sent, recalled, or taken back for editing.
    if (textOf(editor) === text) return
    const toEnd: Command = ({ tr, commands }) => commands.setTextSelection(tr.doc.content.size)
    editor.chain().setContent(documentOf(text), { emitUpdate: false }).command(toEnd).run()
    editor.view.focus() // at once: the editor's own command waits for a picture, and would undo a selection made meanwhile
  }, [editor, text])
  useEffect(
    () =>
      takeInsertions((said) => {
        const { state, view } = editor
        const { from, to, $from, $to } = state.selection
        const beside = fitted($from.parent.textContent.slice(0, $from.parentOffset), said, $to.parent.textContent.slice($to.parentOffset))
        view.dispatch(state.tr.insertText(beside, from, to).scrollIntoView())
        view.focus()
      }),
    [editor],
  )
  useEffect(() => {
    decorations(editor, marked.map((span) => ({ ...span, look: "directive" })))
  }, [editor, text, marked])
  useEffect(() => {
    editor.view.dom.setAttribute("aria-label", label)
    editor.view.dispatch(editor.state.tr) // draws the placeholder anew
  }, [editor, label, placeholder])
  return editor
}

/** Lines that join the text around them at both ends. */
function sliceOf(text: string, schema: Schema): Slice {
  const lines = documentOf(text).content ?? []
  return new Slice(Fragment.fromArray(lines.map((line) => schema.nodeFromJSON(line))), 1, 1)
}
