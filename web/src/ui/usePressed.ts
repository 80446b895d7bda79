import { useState } from "react"

/**
 * What of several is marked: what was pressed last, until it is known what came of it. It is marked in the same moment, since a browser
 * tells of a press only where something else was marked before: of two quick presses the second would be lost.
 */
export function usePressed<T>(chosen: T | undefined, onPress: (value: T) => void): [marked: T | undefined, press: (value: T) => void] {
  const [pressed, setPressed] = useState<{ value: T; before?: T }>()
  if (pressed && pressed.before !== chosen) setPressed(undefined)
  const press = (value: T) => {
    setPressed({ value, before: chosen })
    onPress(value)
  }
  return [pressed ? pressed.value : chosen, press]
}
