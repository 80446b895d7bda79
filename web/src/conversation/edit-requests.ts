// The message box asks for the last waiting message to be opened for a change.

const listeners = new Map<string, Map<number, () => void>>()

/** Registers what opens a waiting message, until the returned function is called. */
export function onEditRequest(key: string, inbox: number, open: () => void): () => void {
  const of = listeners.get(key) ?? new Map<number, () => void>()
  listeners.set(key, of.set(inbox, open))
  return () => {
    of.delete(inbox)
    if (of.size === 0 && listeners.get(key) === of) listeners.delete(key)
  }
}

/** Opens a waiting message for a change; false when it is not on the page. */
export function requestEdit(key: string, inbox: number): boolean {
  const open = listeners.get(key)?.get(inbox)
  open?.()
  return open !== undefined
}
