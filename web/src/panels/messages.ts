// What a panel may send to the page. A panel is written by strangers: what is not of the very shape is dropped, and nothing of it is evaluated or
// drawn.

/** Messages a second that a panel may send, and how many at once. */
export const MESSAGES_A_SECOND = 20
export const MESSAGES_AT_ONCE = 40
/** How large a message may be, as JSON, in UTF-16 units, and how deep. The server takes 64 kB. */
export const MESSAGE_MOST = 60 * 1024
const DEEPEST = 32
const ITEMS_MOST = 20_000
/** Pixels that a panel may be high. */
export const HEIGHT_LEAST = 80
export const HEIGHT_MOST = 20_000

export type Message = { id: number; method: "ready" } | { id: number; method: "ask"; params: unknown } | { id: number; method: "resize"; height: number }

/** Reads a message; undefined: it is none. */
export function readMessage(data: unknown): Message | undefined {
  if (!isPlain(data)) return
  const { xbot, id, method, params, ...others } = data
  if (xbot !== 1 || typeof id !== "number" || !Number.isSafeInteger(id) || id < 0 || Object.keys(others).length > 0) return
  switch (method) {
    case "ready":
      return params === undefined ? { id, method } : undefined
    case "ask":
      return fits(params) ? { id, method, params: params ?? null } : undefined
    case "resize": {
      if (!isPlain(params) || Object.keys(params).length !== 1) return
      const { height } = params
      if (typeof height !== "number" || !Number.isFinite(height)) return
      return { id, method, height: Math.min(Math.max(Math.ceil(height), HEIGHT_LEAST), HEIGHT_MOST) }
    }
  }
  return
}

const isPlain = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** Whether a value is JSON that is neither too deep nor too long. It stops counting at the bounds. */
function fits(value: unknown): boolean {
  let left = MESSAGE_MOST
  let items = ITEMS_MOST
  const walk = (one: unknown, depth: number): boolean => {
    if (--items < 0 || depth > DEEPEST) return false
    if (one === null || one === undefined || typeof one === "boolean") return true
    if (typeof one === "number") return Number.isFinite(one)
    if (typeof one === "string") return (left -= one.length) >= 0
    if (Array.isArray(one)) {
      if (one.length > items) return false
      return one.every((item) => walk(item, depth + 1))
    }
    if (!isPlain(one)) return false
    return Object.entries(one).every(([name, item]) => (left -= name.length) >= 0 && walk(item, depth + 1))
  }
  return walk(value, 0) && (value === undefined || JSON.stringify(value).length <= MESSAGE_MOST)
}

/** Counts messages; false: too many. */
export function newPace(now: () => number = () => performance.now()): () => boolean {
  let tokens = MESSAGES_AT_ONCE
  let last = now()
  return () => {
    const at = now()
    tokens = Math.min(MESSAGES_AT_ONCE, tokens + ((at - last) / 1000) * MESSAGES_A_SECOND)
    last = at
    if (tokens < 1) return false
    tokens--
    return true
  }
}
