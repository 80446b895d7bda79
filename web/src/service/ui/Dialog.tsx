import { type ReactNode, useEffect, useRef } from "react"

import { cx } from "../../lib/cx"

interface Props {
  /** Its name, read aloud. */
  label: string
  /** It comes in from the left and is as high as the page. */
  drawer?: boolean
  onClose: () => void
  children: ReactNode
}

/** A dialog of the browser, open as long as it is drawn: the rest of the page is out of reach meanwhile, and Escape closes it. */
export function Dialog({ label, drawer, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    const shown = dialog.current
    shown?.showModal()
    return () => {
      shown?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose() // beside what it shows
      }}
      className={cx(
        "shadow-overlay outline-none",
        drawer ? "drawer m-0 h-dvh max-h-none w-72 max-w-[calc(100vw-3rem)]" : "m-auto w-[min(24rem,calc(100vw-2rem))] rounded-lg",
      )}
    >
      {children}
    </dialog>
  )
}
