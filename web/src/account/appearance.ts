import type { Me } from "../api/types"
import { setLanguage } from "../i18n"
import { readItem, writeItem } from "../lib/storage"
import { setTheme } from "../ui/theme"

const place = "xbot.look.own"

/** Whether this device looks as was chosen on it, whatever the person chose for all of theirs. */
export const looksOwn = (): boolean => readItem(place) !== null

export const setLooksOwn = (own: boolean): void => writeItem(place, own ? "on" : "")

/** Makes the page look as the person chose for all their devices; what they did not choose stays as it is here. */
export function applyAppearance({ theme, language }: Me): void {
  if (looksOwn()) return
  if (theme) setTheme(theme)
  if (language) setLanguage(language)
}
