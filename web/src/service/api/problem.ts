/**
 * Why the server did not do what it was asked:
 * offline: it was not reached, or not to the end; busy: it has a fault of its own, both may be tried again;
 * limit: too much was asked, `until` says when to go on; gone: there is no such conversation; large: too much in one message;
 * refused: `message` says why; key and withdrawn: nothing can be asked at all.
 */
export type Trouble = "offline" | "busy" | "limit" | "gone" | "large" | "refused" | "key" | "withdrawn"

export class Problem extends Error {
  readonly kind: Trouble
  /** When it may be asked again, in milliseconds since 1970. */
  readonly until?: number

  constructor(kind: Trouble, message = "", until?: number) {
    super(message)
    this.kind = kind
    this.until = until
  }

  /** Whether asking again in a moment may help. */
  get passes(): boolean {
    return this.kind === "offline" || this.kind === "busy"
  }
}

/** Seconds to wait where a server that limits does not say how long. */
const A_WHILE = 30

const kinds: Record<number, Trouble> = { 401: "key", 403: "withdrawn", 404: "gone", 413: "large", 429: "limit", 408: "busy" }

/** What an answer that is no success means. */
export async function problemOf(answer: Response, now = Date.now()): Promise<Problem> {
  const kind = kinds[answer.status] ?? (answer.status >= 500 ? "busy" : "refused")
  const until = kind === "limit" ? now + 1000 * secondsOf(answer.headers.get("Retry-After"), now) : undefined
  return new Problem(kind, await sentenceOf(answer), until)
}

/** A delay, as seconds or as a date. */
function secondsOf(header: string | null, now: number): number {
  if (header === null || header.trim() === "") return A_WHILE
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(1, seconds)
  const at = Date.parse(header)
  return Number.isNaN(at) ? A_WHILE : Math.max(1, (at - now) / 1000)
}

async function sentenceOf(answer: Response): Promise<string> {
  try {
    const said = (await answer.json()) as { detail?: unknown }
    return typeof said.detail === "string" ? said.detail.slice(0, 500) : ""
  } catch {
    return ""
  }
}
