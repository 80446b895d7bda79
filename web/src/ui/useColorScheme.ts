import { useSyncExternalStore } from "react"

import { useTheme } from "./theme"

const dark = matchMedia("(prefers-color-scheme: dark)")

function subscribe(changed: () => void) {
  dark.addEventListener("change", changed)
  return () => dark.removeEventListener("change", changed)
}

/** The theme that is seen, also where it follows the system. */
export function useShown(): "light" | "dark" {
  const theme = useTheme()
  const system = useSyncExternalStore(subscribe, () => dark.matches)
  if (theme !== "auto") return theme
  return system ? "dark" : "light"
}
