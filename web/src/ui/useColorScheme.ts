import { useTheme } from "./theme"
import { useMedia } from "./useMedia"

/** The colours that are seen, also where they follow the system. */
export function useColorScheme(): "light" | "dark" {
  const theme = useTheme()
  const dark = useMedia("(prefers-color-scheme: dark)")
  if (theme !== "auto") return theme
  return dark ? "dark" : "light"
}
