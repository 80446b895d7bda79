import { type RefObject, useEffect } from "react"

/** When a card goes while it has the focus, the message box gets it, unless that would open a keyboard on the screen. */
export function useFocusBack(card: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = card.current
    return () => {
      if (element?.contains(document.activeElement) && matchMedia("(pointer: fine)").matches) {
        requestAnimationFrame(() => document.getElementById("message")?.focus())
      }
    }
  }, [card])
}
