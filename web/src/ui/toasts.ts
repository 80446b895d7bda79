import { Store } from "../lib/store"

/** A sentence about something that just happened, shown for a while at the foot of the page. */
export interface Toast {
  id: number
  text: string
}

/** Milliseconds that a toast stays. */
const SHOWN_FOR = 6000

export const toasts = new Store<Toast[]>([])

let last = 0

export function toast(text: string): void {
  const id = ++last
  toasts.set([...toasts.get(), { id, text }])
  setTimeout(() => dismiss(id), SHOWN_FOR)
}

export function dismiss(id: number): void {
  toasts.set(toasts.get().filter((entry) => entry.id !== id))
}
