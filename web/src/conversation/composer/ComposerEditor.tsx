import { EditorContent } from "@tiptap/react"
import { useEffect } from "react"

import type { EditorProps } from "./box"
import { useEditorText } from "./useEditorText"

/** The editor itself. */
export function ComposerEditor({ menuOption, caret, ...options }: EditorProps) {
  const editor = useEditorText(options)
  useEffect(() => {
    const box = editor.view.dom
    if (menuOption) {
      box.setAttribute("aria-controls", "commands")
      box.setAttribute("aria-activedescendant", menuOption)
    } else {
      box.removeAttribute("aria-controls")
      box.removeAttribute("aria-activedescendant")
    }
  }, [editor, menuOption])
  useEffect(() => {
    if (caret === undefined) return
    // A paragraph's end and beginning are two positions where the text has one line break.
    const breaks = options.text.slice(0, caret).split("\n").length - 1
    editor.commands.focus(1 + caret + breaks)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only when the editor takes over
  }, [editor])
  return <EditorContent editor={editor} />
}
