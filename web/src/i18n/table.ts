import { useCallback } from "react"

import { type Language, useLanguage } from "."

/** Sentences that are loaded with the part of the page that says them. */
export type Table<K extends string> = Record<Language, Record<K, string>>

export type Say<K extends string> = (key: K, values?: Record<string, string | number>) => string

/** The function that turns a key of a table into a sentence of the current language. */
export function useTable<K extends string>(table: Table<K>): Say<K> {
  const language = useLanguage()
  return useCallback((key, values = {}) => table[language][key].replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? "")), [table, language])
}
