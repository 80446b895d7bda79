import { useCallback, useEffect, useState } from "react"

import { useHasAside } from "../../ui/useMedia"

/** The next conversation opens with its details: it was opened from those of another one. */
let kept = false

/** What a link in the details calls, so that they stay open beside the conversation that it leads to. */
export function useKeepDetails(): () => void {
  const beside = useHasAside()
  return () => {
    kept = beside
  }
}

/** Whether the side panel is open, what it is about, and which turn it tells of (the latest when none was chosen). */
export function useDetails() {
  const [open, setOpen] = useState(kept)
  const [view, setView] = useState<"turn" | "context">("turn")
  const [turn, setTurn] = useState<string>()
  const toggle = useCallback(() => {
    setTurn(undefined)
    setOpen((before) => view === "context" || !before)
    setView("turn")
  }, [view])
  const toggleContext = useCallback(() => {
    setOpen((before) => view === "turn" || !before)
    setView("context")
  }, [view])
  const show = useCallback((id?: string) => {
    setTurn(id)
    setView("turn")
    setOpen(true)
  }, [])
  const showContext = useCallback(() => {
    setView("context")
    setOpen(true)
  }, [])
  useEffect(() => {
    kept = false
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
  return { open, view, turn, toggle, toggleContext, show, showContext, close: () => setOpen(false), choose: setTurn }
}
