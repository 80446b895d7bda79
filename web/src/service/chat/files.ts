import { mediaToken } from "../api/calls"

/** A file of a conversation: what the agent has made, or what the visitor has sent. */
export interface FileRef {
  conversation: string
  from: "files" | "attachments"
  path: string
}

/** How a file is shown; "other" is saved. */
export type Kind = "picture" | "sound" | "film" | "pdf" | "other"

const kinds: Record<Exclude<Kind, "other">, RegExp> = {
  picture: /\.(png|jpe?g|gif|webp|avif|bmp)$/i,
  sound: /\.(mp3|wav|ogg|oga|flac|m4a|aac)$/i,
  film: /\.(mp4|webm|mov|ogv)$/i,
  pdf: /\.pdf$/i,
}

export function kindOf(path: string): Kind {
  for (const [kind, names] of Object.entries(kinds)) if (names.test(path)) return kind as Kind
  return "other"
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/**
 * What an address in an answer means as a file of the conversation: its path below generated/, and its anchor, such as a page of a PDF.
 * Undefined: it leads elsewhere, or out of the folder.
 */
export function generatedFile(address: string): { path: string; anchor: string } | undefined {
  if (/^[a-z][a-z0-9+.-]*:|^\/\/|^[#?\\]/i.test(address)) return undefined
  const [, written = "", anchor = ""] = /^([^#]*)(#.*)?$/.exec(address) ?? []
  const path = decoded(written).replace(/^\.?\/+/, "").replace(/^generated\/+/, "")
  const parts = path.split("/")
  if (path === "" || parts.some((part) => part === "" || part === "." || part === "..") || /[\\\p{Cc}]/u.test(path)) return undefined
  return { path, anchor: anchor.slice(1) }
}

function decoded(written: string): string {
  try {
    return decodeURIComponent(written)
  } catch {
    return written // a percent sign that stands for itself
  }
}

/** Part of its life after which a token is not given away any more. */
const FRESH = 0.8

/** Tokens with which files are shown: the key itself stands in no address. */
const tokens = new Map<string, { token: Promise<string>; until: number }>()

/** A token of a conversation that is good for a while. `broken` is one that was not taken. */
export async function tokenOf(conversation: string, broken?: string): Promise<string> {
  const kept = tokens.get(conversation)
  if (kept && kept.until > Date.now() && (await kept.token) !== broken) return kept.token
  const asked = mediaToken(conversation)
  const entry = { token: asked.then(({ token }) => token), until: Date.now() + 60_000 }
  tokens.set(conversation, entry)
  try {
    entry.until = Date.now() + 1000 * FRESH * (await asked).expires_in
  } catch (error) {
    tokens.delete(conversation)
    throw error
  }
  return entry.token
}

/** The address of a file with a token. */
export function addressOf({ conversation, from, path }: FileRef, token: string, download = false): string {
  const names = path.split("/").map(encodeURIComponent).join("/")
  return `/api/v1/conversations/${encodeURIComponent(conversation)}/${from}/${names}?token=${encodeURIComponent(token)}${download ? "&download=1" : ""}`
}

/** Saves a file, with a token that is good now. */
export async function save(file: FileRef): Promise<void> {
  const link = document.createElement("a")
  link.href = addressOf(file, await tokenOf(file.conversation), true)
  link.download = nameOf(file.path)
  link.click()
}
