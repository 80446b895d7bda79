// The calls of a person about what they set for themselves, and about who changed settings.
import type { Language } from "../i18n"
import { api, unwrap } from "./client"
import type { components } from "./schema"

export type Setting = components["schemas"]["Setting"]
export type PreferenceVersion = components["schemas"]["PreferenceVersion"]
export type SettingChange = components["schemas"]["SettingChange"]

export interface Preferences {
  settings: Setting[]
  version: number
}

export async function listPreferences(lang: Language): Promise<Preferences> {
  const { settings, version } = await unwrap(api.GET("/api/preferences", { params: { query: { lang } } }))
  return { settings: settings ?? [], version }
}

export const setPreference = (name: string, value: string): Promise<Setting> => unwrap(api.PUT("/api/preferences/{name}", { params: { path: { name } }, body: { value } }))

/** The newest first. */
export async function listPreferenceVersions(): Promise<PreferenceVersion[]> {
  return (await unwrap(api.GET("/api/preferences/versions"))).versions ?? []
}

/** Has all of them as they were after a change. A conflict: they are no longer of the version that is said to be there. */
export const rollPreferencesBack = (to: number, version: number) => unwrap(api.POST("/api/preferences/rollback", { body: { to, version } }))

/** Changes of one's own settings, and with `installation` of the installation's; the newest first, older than `before`. */
export async function listChanges(installation: boolean, before: number, limit: number): Promise<SettingChange[]> {
  return (await unwrap(api.GET("/api/changes", { params: { query: { installation, before, limit } } }))).changes ?? []
}
