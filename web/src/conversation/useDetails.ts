import { useCallback, useEffect, useState } from "react"

/** Whether the details panel is open, and which turn it tells of (the latest when none was chosen). */
export function useDetails() {
  const [open, setOpen] = useState(false)
  const [turn, setTurn] = useState<string>()
  const toggle = useCallback(() => {
    setTurn(undefined)
    setOpen((before) => !before)
  }, [])
  const show = useCallback((id: string) => {
    setTurn(id)
    setOpen(true)
  }, [])
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== "." || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      toggle()
    }
    window.addEventListener("keydown", pressed)
    return () => window.removeEventListener("keydown", pressed)
  }, [toggle])
  return { open, turn, toggle, show, close: () => setOpen(false), choose: setTurn }
}
