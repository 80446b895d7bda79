import { type RefObject, useLayoutEffect } from "react"

import type { BoxProps } from "./ComposerBox"

/** The box until the editor is loaded: a plain text area with the same keys. */
export function PlainBox({ label, placeholder, text, onText, onKey, box }: BoxProps & { box: RefObject<HTMLTextAreaElement | null> }) {
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    element.style.height = "0"
    element.style.height = `${element.scrollHeight}px`
  }, [box, text])
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
      onKeyDown={(event) => {
        if (onKey(event.nativeEvent)) event.preventDefault()
      }}
      className="editor block w-full resize-none placeholder:text-ink-3"
    />
  )
}
