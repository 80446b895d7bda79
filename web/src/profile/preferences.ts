import { queryOptions } from "@tanstack/react-query"

import { looksOwn } from "../account/appearance"
import { listPreferences, setPreference } from "../api/preferences"
import { asProblem } from "../api/problem"
import { meQuery } from "../account/queries"
import { queryClient } from "../api/query-client"
import type { Me } from "../api/types"
import { type Language, setLanguage } from "../i18n"
import { setTheme, type Theme } from "../ui/theme"
import { toast } from "../ui/toasts"

export const preferencesQuery = (lang: Language) => queryOptions({ queryKey: ["preferences", lang], queryFn: () => listPreferences(lang) })

/** Reads again what was changed. */
export async function preferencesChanged(): Promise<void> {
  await Promise.all([queryClient.invalidateQueries({ queryKey: ["preferences"] }), queryClient.invalidateQueries({ queryKey: meQuery.queryKey })])
}

/** Chooses the theme of the page: here at once, and on the person's other devices unless this one looks as it does by itself. */
export function chooseTheme(theme: Theme): void {
  setTheme(theme)
  keep("theme", theme, { theme })
}

/** Chooses the language of the page, in the same way. */
export function chooseLanguage(language: Language): void {
  setLanguage(language)
  keep("page_language", language, { language })
}

function keep(name: string, value: string, look: Pick<Me, "theme" | "language">): void {
  if (looksOwn()) return
  const { queryKey } = meQuery
  void queryClient.cancelQueries({ queryKey }) // it would bring back what was chosen before
  queryClient.setQueryData(queryKey, (me) => me && { ...me, ...look })
  setPreference(name, value).then(
    () => queryClient.invalidateQueries({ queryKey: ["preferences"] }),
    (error: unknown) => toast(asProblem(error).message),
  )
}
