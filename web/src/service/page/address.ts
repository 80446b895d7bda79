import { Store } from "../../lib/store"
import { Conversation } from "../chat/conversation"
import { watchList } from "../chat/list"
import { embedded, place } from "../lib/service"
import { read, write } from "../lib/storage"

// Which conversation is open stands in the address, behind #: each tab has its own, a reload finds it, and "back" leads to the last one. A
// frame has a new address whenever the page around it is loaded: it opens the conversation that was open last.

/** The conversation that is open; undefined: none may be, since there is no key. */
export const opened = new Store<Conversation | undefined>(undefined)

const lastPlace = place("last")

const isId = (id: string | null | undefined): id is string => typeof id === "string" && /^[\w-]{1,64}$/.test(id)

function inAddress(): string | undefined {
  const id = new URLSearchParams(location.hash.slice(1)).get("c")
  return isId(id) ? id : undefined
}

const addressFor = (id: string | undefined) => location.pathname + location.search + (id === undefined ? "" : `#c=${id}`)

/** Opens what the address says, and follows it until it is told to end. */
export function start(): () => void {
  const last = read(lastPlace)
  if (embedded && inAddress() === undefined && isId(last)) history.replaceState(null, "", addressFor(last))
  show(inAddress())
  const moved = () => {
    if (inAddress() !== opened.get()?.state.get().id) show(inAddress())
  }
  const seen = () => {
    if (document.visibilityState === "visible") opened.get()?.look()
    else opened.get()?.hide()
  }
  const unwatch = watchList((id) => {
    if (id === opened.get()?.state.get().id) opened.get()?.again()
  })
  addEventListener("popstate", moved)
  addEventListener("focus", seen)
  document.addEventListener("visibilitychange", seen)
  return () => {
    unwatch()
    removeEventListener("popstate", moved)
    removeEventListener("focus", seen)
    document.removeEventListener("visibilitychange", seen)
    opened.get()?.leave()
    opened.set(undefined)
  }
}

function show(id: string | undefined): void {
  opened.get()?.leave()
  write(lastPlace, id ?? "")
  opened.set(new Conversation(id, created))
}

/** The conversation that is open has got its id: its address changes, nothing else. */
function created(id: string): void {
  write(lastPlace, id)
  history.replaceState(null, "", addressFor(id))
}

/** Opens a conversation, or a new one. */
export function go(id: string | undefined): void {
  const { id: open, pending } = opened.get()?.state.get() ?? {}
  if (id === open && (id !== undefined || !pending)) return
  if (id !== inAddress()) history.pushState(null, "", addressFor(id))
  show(id)
}
