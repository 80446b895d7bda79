// The calls about skills and roles that people publish and install.
import { api, unwrap } from "./client"
import type { components } from "./schema"

export type Entry = components["schemas"]["Entry"]
export type Version = components["schemas"]["Version"]
export type Detail = components["schemas"]["RegistryDetail"]
export type FileText = components["schemas"]["BundleText"]
export type Install = components["schemas"]["Install"]
export type Visibility = "private" | "everybody"

export interface Found {
  entries: Entry[]
  more: boolean
}

export async function listEntries(q: string, own: boolean): Promise<Found> {
  const { entries, more } = await unwrap(api.GET("/api/registry/entries", { params: { query: { q: q || undefined, own: own || undefined } } }))
  return { entries: entries ?? [], more }
}

export const getEntry = (id: number, version?: number): Promise<Detail> => unwrap(api.GET("/api/registry/entries/{id}", { params: { path: { id }, query: { version } } }))

export const readEntryFile = (id: number, version: number, name: string): Promise<FileText> =>
  unwrap(api.GET("/api/registry/entries/{id}/versions/{version}/file", { params: { path: { id, version }, query: { name } } }))

/** Publishes a zip archive, or the Markdown file of a role. */
export const publishFile = (file: File, visibility: Visibility | undefined, notes: string): Promise<Entry> =>
  unwrap(
    api.POST("/api/registry/entries", {
      params: { query: { visibility, notes: notes || undefined, name: file.name.slice(0, 200) } },
      body: "",
      bodySerializer: () => file,
      headers: { "Content-Type": "application/zip" },
    }),
  )

export const publishRole = (role: number): Promise<Entry> => unwrap(api.POST("/api/registry/roles", { body: { role } }))

export const reviseEntry = (id: number, revision: { visibility?: Visibility; withdrawn?: boolean }): Promise<Entry> =>
  unwrap(api.PATCH("/api/registry/entries/{id}", { params: { path: { id } }, body: revision }))

export const deleteEntry = (id: number) => unwrap(api.DELETE("/api/registry/entries/{id}", { params: { path: { id } } }))

export async function listInstalls(): Promise<Install[]> {
  const { installs } = await unwrap(api.GET("/api/registry/installs"))
  return installs ?? []
}

export const installEntry = (entry: number, version: number, shared: boolean): Promise<Install> =>
  unwrap(api.POST("/api/registry/installs", { body: { entry, version, shared } }))

const one = ({ id, shared }: Install) => ({ path: { id }, query: { shared: shared || undefined } })

export const switchInstall = (install: Install, enabled: boolean) => unwrap(api.PATCH("/api/registry/installs/{id}", { params: one(install), body: { enabled } }))

export const uninstall = (install: Install) => unwrap(api.DELETE("/api/registry/installs/{id}", { params: one(install) }))

/** The address of a version as a zip archive. */
export const versionFile = (id: number, version: number): string => `/api/registry/entries/${id}/versions/${version}/bundle`

/** The address of what is installed as a zip archive. */
export const installFile = (id: number): string => `/api/registry/installs/${id}/bundle`
