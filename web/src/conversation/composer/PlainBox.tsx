import type { Ref } from "react"

import type { BoxProps } from "./box"

/** The box until the editor is loaded: a plain text area with the same keys. */
export function PlainBox({ label, placeholder, text, onText, onKey, onFiles, box }: BoxProps & { box: Ref<HTMLTextAreaElement> }) {
  return (
    <textarea
      ref={box}
      id="message"
      rows={1}
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onChange={(event) => onText(event.target.value)}
      onCompositionStart={(event) => (event.currentTarget.dataset.composing = "")}
      onCompositionEnd={(event) => delete event.currentTarget.dataset.composing}
      onPaste={(event) => {
        const files = [...event.clipboardData.files]
        if (files.length === 0) return
        event.preventDefault()
        onFiles(files)
      }}
      onKeyDown={(event) => {
        if (onKey(event.nativeEvent)) event.preventDefault()
      }}
      className="editor field-sizing-content block w-full resize-none placeholder:text-ink-3"
    />
  )
}
