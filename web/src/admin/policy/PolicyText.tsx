import { Document } from "@tiptap/extension-document"
import { Paragraph } from "@tiptap/extension-paragraph"
import { Text } from "@tiptap/extension-text"
import { UndoRedo } from "@tiptap/extensions/undo-redo"
import { type Editor, EditorContent, useEditor } from "@tiptap/react"
import { useEffect, useImperativeHandle, useRef, type Ref } from "react"

import type { Span } from "../../conversation/composer/commands"
import { decorations, lineStarts, type Mark, Marks, positionOf } from "../../conversation/composer/decorations"
import { documentOf } from "../../conversation/composer/message-text"
import type { Fault } from "./faults"
import { tokensOf } from "./json5"

/** What others may ask of the text. */
export interface PolicyTextHandle {
  goTo: (place: Span) => void
}

interface Props {
  label: string
  text: string
  faults: Fault[]
  onText: (text: string) => void
  onSave: () => void
  handle: Ref<PolicyTextHandle>
}

const textOf = (editor: Editor): string => editor.getText({ blockSeparator: "\n" })

/** The text of the policy: coloured, with what is wrong underlined. */
export function PolicyText({ label, text, faults, onText, onSave, handle }: Props) {
  const live = useRef({ onText, onSave })
  useEffect(() => {
    live.current = { onText, onSave }
  })
  const editor = useEditor({
    immediatelyRender: true,
    injectCSS: false,
    extensions: [Document, Paragraph, Text, UndoRedo, Marks],
    content: documentOf(text),
    editorProps: {
      attributes: { class: "policy-text", role: "textbox", "aria-multiline": "true", "aria-label": label, spellcheck: "false" },
      clipboardTextSerializer: (slice) => slice.content.textBetween(0, slice.content.size, "\n"),
      handleKeyDown: (_, event) => {
        if (event.key.toLowerCase() !== "s" || !(event.metaKey || event.ctrlKey)) return false
        event.preventDefault()
        live.current.onSave()
        return true
      },
    },
    onUpdate: ({ editor: changed }) => live.current.onText(textOf(changed)),
  })
  useEffect(() => {
    if (textOf(editor) !== text) editor.commands.setContent(documentOf(text), { emitUpdate: false })
    const words = tokensOf(text).map((token): Mark => ({ ...token, look: `json-${token.kind}` }))
    const wrong = faults.flatMap(({ place, text: tip }): Mark[] => (place ? [{ ...place, look: "json-fault", tip }] : []))
    decorations(editor, [...words, ...wrong])
  }, [editor, text, faults])
  useImperativeHandle(handle, () => ({
    goTo: ({ from, to }) => {
      const starts = lineStarts(editor)
      editor.chain().focus().setTextSelection({ from: positionOf(starts, from), to: positionOf(starts, to) }).scrollIntoView().run()
    },
  }))
  return <EditorContent editor={editor} />
}
