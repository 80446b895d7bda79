import i18next from "i18next"
import { useCallback } from "react"

import { readItem, writeItem } from "../lib/storage"
import { Store, useStore } from "../lib/store"
import { en, type Key } from "./en"

export type { Key } from "./en"

export type Language = "en" | "zh"
export const languages: Record<Language, string> = { en: "English", zh: "中文" }

const place = "xbot.language"

const instance = i18next.createInstance()
void instance.init({
  lng: "en",
  fallbackLng: "en",
  resources: { en: { translation: en } },
  keySeparator: false,
  nsSeparator: false,
  interpolation: { escapeValue: false }, // React escapes
  initAsync: false,
})

const current = new Store<Language>("en")

/** The language chosen before, else the browser's. */
function firstLanguage(): Language {
  const chosen = readItem(place)
  if (chosen === "en" || chosen === "zh") return chosen
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en"
}

/** Loads the sentences of a language, then speaks it. */
async function speak(language: Language): Promise<void> {
  if (language === "zh" && !instance.hasResourceBundle("zh", "translation")) {
    const { zh } = await import("./zh")
    instance.addResourceBundle("zh", "translation", zh)
  }
  document.documentElement.lang = language
  current.set(language)
}

/** Done when the page can be drawn in the reader's language. */
export const languageReady: Promise<void> = speak(firstLanguage())

export function setLanguage(language: Language): void {
  speak(language).then(
    () => writeItem(place, language),
    (error: unknown) => console.error("the language was not loaded", error),
  )
}

export function useLanguage(): Language {
  return useStore(current)
}

/** Keys of sentences that count something carry their forms as suffixes and are asked for without. */
type Asked = Key extends infer K ? (K extends `${infer Base}_one` | `${infer Base}_other` ? Base : K) : never

export type Translate = (key: Asked, values?: Record<string, string | number>) => string

/** The function that turns a key into a sentence of the current language. */
export function useT(): Translate {
  const language = useLanguage()
  return useCallback((key, values) => instance.t(key, { lng: language, ...values }), [language])
}
