/** A random id of 128 bits in base 36, at most 25 characters. crypto.randomUUID would need HTTPS. */
export function randomId(): string {
  const words = crypto.getRandomValues(new BigUint64Array(2))
  return Array.from(words, (word) => word.toString(36)).join("")
}

/**
 * This tab among the clients of its person: what models want to show comes to the one alone with which the ids of the message's turn begin. It
 * stays the same when the page is loaded again.
 */
export const clientId = ((): string => {
  try {
    const kept = sessionStorage["xbot.client"] as string | undefined
    const id = kept !== undefined && /^[0-9A-Za-z]{8,40}$/.test(kept) ? kept : randomId() // the server refuses others
    return (sessionStorage["xbot.client"] = id)
  } catch {
    return randomId() // storage is blocked
  }
})()

/** The id of a new message. */
export const messageId = (): string => `${clientId}.${randomId()}`

/** The key of a new conversation of this page, with the default agent or a named one. */
export function newSessionKey(id: string = randomId(), agent = "main"): string {
  return `agent:${agent}:web:thread:${id}`
}
