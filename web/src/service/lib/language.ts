import { useCallback } from "react"

import { Store, useStore } from "../../lib/store"
import { read, write } from "./storage"
import { type Key, words } from "./words"

export type Language = keyof typeof words
export const languages: Record<Language, string> = { en: "English", zh: "中文" }

const place = "xbot.svc.language"

const known = (name: string | null | undefined): Language | undefined => (name?.toLowerCase().startsWith("zh") ? "zh" : name?.toLowerCase().startsWith("en") ? "en" : undefined)

/** What the address says, else what was chosen before, else what the browser speaks. */
const first = (): Language => known(new URLSearchParams(location.search).get("lang")) ?? known(read(place)) ?? known(navigator.language) ?? "en"

const current = new Store<Language>("en")

function speak(language: Language): void {
  current.set(language)
  document.documentElement.lang = words[language].lang
}

export const speakFirst = (): void => speak(first())

export function setLanguage(language: Language): void {
  write(place, language)
  speak(language)
}

export const useLanguage = (): Language => useStore(current)

export type Say = (key: Key, values?: Record<string, string | number>) => string

/** The function that turns a key into a sentence of the visitor's language. */
export function useSay(): Say {
  const language = useLanguage()
  return useCallback((key, values = {}) => words[language][key].replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? "")), [language])
}
