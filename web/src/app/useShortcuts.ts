import { useNavigate } from "@tanstack/react-router"
import { useEffect } from "react"

import type { ShellControls } from "../ui/shell-context"

const onMac = navigator.userAgent.includes("Mac")

/** Name of the key that shortcuts are held with. */
export const commandKey = onMac ? "⌘" : "Ctrl"

const searchBox = () => document.querySelector<HTMLElement>("#session-search")

/** The keys that work everywhere in the page. */
export function useShortcuts(shell: ShellControls): void {
  const navigate = useNavigate()
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!(onMac ? event.metaKey : event.ctrlKey) || event.altKey) return
      const key = event.key.toLowerCase()
      if (key === "k" && !event.shiftKey) {
        event.preventDefault()
        shell.showSidebar()
        searchBox()?.focus() // at once, so that it gets the next key
        requestAnimationFrame(() => searchBox()?.focus()) // where it has to be shown first
      } else if (key === "o" && event.shiftKey) {
        event.preventDefault()
        void navigate({ to: "/" })
      }
    }
    window.addEventListener("keydown", pressed)
    return () => window.removeEventListener("keydown", pressed)
  }, [shell, navigate])
}
