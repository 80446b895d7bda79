/** A random id of 128 bits in base 36, at most 25 characters. crypto.randomUUID would need HTTPS. */
export function randomId(): string {
  const words = crypto.getRandomValues(new BigUint64Array(2))
  return Array.from(words, (word) => word.toString(36)).join("")
}

/** The key of a new conversation of this page, with the default agent or a named one. */
export function newSessionKey(id: string = randomId(), agent = "main"): string {
  return `agent:${agent}:web:thread:${id}`
}
