import { Store } from "../../lib/store"
import { keyMark } from "../lib/key"
import { place } from "../lib/service"
import { readJson, write } from "../lib/storage"

/** A conversation of this browser. The server lists none: a key may be of many visitors. */
export interface Listed {
  id: string
  title: string
  /** When something was said last, in milliseconds since 1970. */
  at: number
  /** Of which key it is. */
  key: string
}

/** Conversations that are kept; the oldest leave. */
const MOST = 200

const kept = place("list")

function readAll(): Listed[] {
  const found = readJson(kept)
  if (!Array.isArray(found)) return []
  return (found as Partial<Listed>[])
    .filter((one): one is Listed => typeof one?.id === "string" && typeof one.title === "string" && typeof one.at === "number" && typeof one.key === "string")
    .sort((a, b) => b.at - a.at)
}

/** The conversations that the current key can read, newest first. */
export const listed = new Store<Listed[]>([])

export function refreshList(): void {
  const mark = keyMark()
  listed.set(readAll().filter(({ key }) => key === mark))
}

/** Each change begins with what is kept now: other tabs change it, too. */
function change(next: (all: Listed[]) => Listed[]): void {
  const all = next(readAll()).sort((a, b) => b.at - a.at)
  write(kept, JSON.stringify(all.slice(0, MOST)))
  refreshList()
}

export const titleOf = (id: string | undefined): string => listed.get().find((one) => one.id === id)?.title ?? ""

/** Notes that something was said in a conversation. */
export function touch(id: string, title: string, at = Date.now()): void {
  change((all) => {
    const old = all.find((one) => one.id === id)
    return [{ id, title: title || (old?.title ?? ""), at, key: keyMark() }, ...all.filter((one) => one.id !== id)]
  })
}

/** Notes how the server calls it. */
export function entitle(id: string, title: string): void {
  const known = readAll().find((one) => one.id === id)
  if (!known) touch(id, title)
  else if (title !== "" && known.title !== title) change((all) => all.map((one) => (one.id === id ? { ...one, title } : one)))
}

export const unlist = (id: string): void => change((all) => all.filter((one) => one.id !== id))

/** When another tab notes that something was said in a conversation, `tell` is told which. */
export function watchList(tell: (id: string) => void): () => void {
  const heard = (event: StorageEvent) => {
    if (event.key !== kept && event.key !== null) return
    const before = new Map(listed.get().map((one) => [one.id, one.at]))
    refreshList()
    for (const { id, at } of listed.get()) if (before.get(id) !== at) tell(id)
  }
  addEventListener("storage", heard)
  return () => removeEventListener("storage", heard)
}

/** A title from what was written first, as the server makes one. */
export const titleFrom = (text: string): string => {
  const line = text.trim().replace(/\s+/g, " ")
  const characters = Array.from(line)
  return characters.length > 30 ? `${characters.slice(0, 30).join("")}…` : line
}
