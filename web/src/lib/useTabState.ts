import { useState } from "react"

const place = (name: string) => `xbot.kept.${name}`

/**
 * State that this tab keeps when what shows it goes away, or is loaded anew: what somebody has begun to write in a form. It is
 * forgotten with the tab. Storage may be blocked or full: then it lives as long as the component.
 */
export function useTabState<T>(name: string, first: () => T): [T, (value: T) => void, () => void] {
  const [value, setValue] = useState<T>(() => {
    try {
      const kept = sessionStorage.getItem(place(name))
      return kept === null ? first() : (JSON.parse(kept) as T)
    } catch {
      return first()
    }
  })
  const keep = (next: T) => {
    setValue(next)
    try {
      sessionStorage.setItem(place(name), JSON.stringify(next))
    } catch {
      // Full or blocked.
    }
  }
  const forget = () => {
    try {
      sessionStorage.removeItem(place(name))
    } catch {
      // Blocked: nothing was kept.
    }
  }
  return [value, keep, forget]
}
