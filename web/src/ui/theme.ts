import { readItem, writeItem } from "../lib/storage"
import { Store, useStore } from "../lib/store"

export type Theme = "auto" | "light" | "dark"

const place = "xbot.theme" // theme.js reads it before the first paint

const kept = readItem(place)
const current = new Store<Theme>(kept === "light" || kept === "dark" ? kept : "auto")

export const useTheme = (): Theme => useStore(current)

export function setTheme(theme: Theme): void {
  current.set(theme)
  writeItem(place, theme === "auto" ? "" : theme)
  if (theme === "auto") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}
