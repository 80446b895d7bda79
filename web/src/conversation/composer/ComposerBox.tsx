import { type ComponentType, useEffect, useRef, useState } from "react"

import type { BoxProps, EditorProps } from "./box"
import { PlainBox } from "./PlainBox"

let loaded: ComponentType<EditorProps> | undefined

/** On a phone the keyboard would cover the page. */
const wantsFocus = () => matchMedia("(pointer: fine)").matches

/**
 * The editable part of the composer. The editor is a third of the page's code, so it is loaded after everything else; a
 * plain text area takes what is typed until then, and hands over text, focus and caret.
 */
export function ComposerBox(props: BoxProps) {
  const [Editor, setEditor] = useState(() => loaded)
  const [caret, setCaret] = useState<number>()
  const plain = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (loaded) return
    if (wantsFocus()) plain.current?.focus()
    return whenIdle(async () => {
      const { ComposerEditor } = await import("./ComposerEditor")
      loaded = ComposerEditor
      await compositionEnd(plain.current)
      const box = plain.current
      if (!box) return
      setCaret(document.activeElement === box ? box.selectionStart : undefined)
      setEditor(() => ComposerEditor)
    })
  }, [])
  if (!Editor) return <PlainBox {...props} box={plain} />
  return <Editor {...props} caret={caret ?? (wantsFocus() ? props.text.length : undefined)} />
}

function whenIdle(work: () => Promise<void>): () => void {
  const run = () => {
    work().catch((error: unknown) => console.error("the editor was not loaded; the plain box stays", error))
  }
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(run, 200)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(run, { timeout: 2000 })
  return () => cancelIdleCallback(handle)
}

/** Waits until no input method is in the middle of choosing characters. */
function compositionEnd(box: HTMLTextAreaElement | null): Promise<void> {
  return new Promise((resolve) => {
    if (box?.dataset.composing === undefined) resolve()
    else box.addEventListener("compositionend", () => resolve(), { once: true })
  })
}
