// Calls about files where a conversation works.
import { api, unwrap } from "./client"
import type { FileEntry, FileTable, FileText, FoundFiles, SavedText } from "./types"

const at = (key: string) => ({ path: { key } })

export const readText = (key: string, path: string): Promise<FileText> =>
  unwrap(api.GET("/api/sessions/{key}/files/text", { params: { ...at(key), query: { path } } }))

/** Writes a file that holds what `before` is the hash of; without it, a file that does not exist. */
export const writeText = (key: string, body: { path: string; text: string; before?: string }): Promise<SavedText> =>
  unwrap(api.PUT("/api/sessions/{key}/files/text", { params: at(key), body }))

export const moveFile = (key: string, from: string, to: string): Promise<FileEntry> =>
  unwrap(api.POST("/api/sessions/{key}/files/move", { params: at(key), body: { from, to } }))

export const copyFile = (key: string, from: string, to: string): Promise<FileEntry> =>
  unwrap(api.POST("/api/sessions/{key}/files/copy", { params: at(key), body: { from, to } }))

export const makeFolder = (key: string, path: string): Promise<FileEntry> =>
  unwrap(api.POST("/api/sessions/{key}/files/folders", { params: at(key), body: { folder: path } }))

/** Deletes a file, or a folder with all that it holds. */
export const deleteFile = (key: string, path: string) =>
  unwrap(api.DELETE("/api/sessions/{key}/files", { params: { ...at(key), query: { path, all: true } } }))

export async function searchFiles(key: string, q: string): Promise<Omit<FoundFiles, "paths"> & { paths: string[] }> {
  const found = await unwrap(api.GET("/api/sessions/{key}/files/search", { params: { ...at(key), query: q === "" ? {} : { q } } }))
  return { ...found, paths: found.paths ?? [] }
}

export async function readTable(key: string, path: string, sheet?: string): Promise<{ sheets: string[]; sheet?: string; rows: string[][]; truncated: boolean }> {
  const found: FileTable = await unwrap(api.GET("/api/sessions/{key}/files/table", { params: { ...at(key), query: sheet ? { path, sheet } : { path } } }))
  return { ...found, sheets: found.sheets ?? [], rows: (found.rows ?? []).map((row) => row ?? []) }
}

/** Where the browser finds a file, or a folder as an archive; it needs a pass. */
export const contentAddress = (key: string, path: string, folder = false): string =>
  `/api/sessions/${encodeURIComponent(key)}/files/${folder ? "zip" : "content"}?path=${encodeURIComponent(path)}`
