import type { KeyboardEvent } from "react"

/** For a field inside of a form that Enter is not to send: Enter does something else, or nothing. */
export const withoutSubmit = (instead?: () => void) => (event: KeyboardEvent) => {
  if (event.key !== "Enter" || event.nativeEvent.isComposing) return
  event.preventDefault()
  instead?.()
}
