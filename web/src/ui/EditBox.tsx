import { type TextareaHTMLAttributes, useLayoutEffect, useRef } from "react"

interface Props extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "onChange" | "value"> {
  value: string
  onChange: (value: string) => void
  /** Enter was pressed; with Shift it makes a line. */
  onSend: () => void
  /** Escape was pressed. */
  onLeave: () => void
}

/** A message while it is changed in its place. It grows with its text, and opens with the cursor at the end. */
export function EditBox({ value, onChange, onSend, onLeave, ...rest }: Props) {
  const box = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    element?.focus()
    element?.setSelectionRange(element.value.length, element.value.length)
    element?.scrollIntoView({ block: "nearest" })
  }, [])
  return (
    <textarea
      ref={box}
      rows={1}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key === "Enter" && !event.shiftKey) {
          event.preventDefault()
          onSend()
        } else if (event.key === "Escape") {
          event.stopPropagation()
          onLeave()
        }
      }}
      className="field-sizing-content max-h-80 w-full max-w-[34rem] resize-none rounded-xl border border-accent bg-overlay px-4 py-2.5 text-body outline-none"
      {...rest}
    />
  )
}
