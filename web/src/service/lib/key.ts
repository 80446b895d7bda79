import { Store } from "../../lib/store"
import { embedded, place } from "./service"
import { read, remove, write } from "./storage"

const form = /^sk-svc-[\w-]{8,200}$/

/** Whether something can be a key of a service at all. */
export const isKey = (text: string): boolean => form.test(text)

/** What keeps a visitor out: no key, one that the server does not take, or a service that is withdrawn. */
export type Access = "none" | "given" | "refused" | "withdrawn"

export const access = new Store<Access>("none")

/** A key that a link holds while another one is kept: any page can lead here, so the visitor says whether it takes the place of theirs. */
export const offered = new Store<string | undefined>(undefined)

let key = read(place("key"))
if (key !== undefined) access.set("given")

export const currentKey = (): string => key ?? ""

export function takeKey(given: string): void {
  key = given
  write(place("key"), given)
  access.set("given")
}

export function forgetKey(why: "none" | "refused" = "none"): void {
  key = undefined
  remove(place("key"))
  access.set(why)
}

/** Tells keys apart without keeping one: the conversations of another key cannot be read with this one. */
export function keyMark(text: string = currentKey()): string {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
  return (hash >>> 0).toString(16)
}

/** Takes the key out of an address, before anybody can see it there. In a frame it is that of the page around, which the administrator has named. */
export function keyOfAddress(): void {
  const said = new URLSearchParams(location.hash.slice(1))
  const given = said.get("key")
  if (given === null) return
  said.delete("key")
  const rest = said.toString()
  history.replaceState(null, "", location.pathname + location.search + (rest && `#${rest}`))
  if (isKey(given) && !embedded && currentKey() !== "" && currentKey() !== given) offered.set(given)
  else if (isKey(given)) takeKey(given)
  else if (currentKey() === "") access.set("refused")
}
