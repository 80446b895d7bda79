import { clientId } from "../lib/ids"
import { EventParser } from "../lib/sse"
import { onReturn, waitAfter } from "./backoff"
import { signedOut } from "./client"
import { pageHeaders } from "./pagekey"
import type { FeedEvent } from "./types"

/** The server sends a ping every 15 s; two missed ones mean that the connection is dead although nobody closed it. */
const SILENCE_LIMIT = 35_000
/** After this long without a sign, a reader who returns gets a new connection instead of waiting for the limit. */
const SILENCE_DOUBT = 17_000

export type LiveStatus = "connecting" | "open" | "waiting" | "gone"

export interface LiveOptions {
  /** The session whose feed is read. */
  key: string
  /** The sequence of the last durable event that is known; asked at every connection. */
  cursor: () => number
  /** The events of one network read, in order. */
  onEvents: (events: FeedEvent[]) => void
  /** "waiting" is between two attempts; "gone" is final: the session does not exist (any more). */
  onStatus: (status: LiveStatus) => void
  /** Milliseconds that the server's clock is ahead of this machine's, told at each connection. */
  onSkew?: (milliseconds: number) => void
}

/**
 * Reads a session's feed until it is closed, connecting again after every end, with growing waits that end at once when
 * the network or the reader comes back.
 */
export class LiveConnection {
  readonly #options: LiveOptions
  readonly #stopReturn: () => void
  #closed = false
  #failures = 0
  #abort: AbortController | undefined
  #watchdog: Watchdog | undefined
  #wake: (() => void) | undefined

  constructor(options: LiveOptions) {
    this.#options = options
    const stopReturn = onReturn(() => this.#returned())
    // The network is gone: only a new connection can tell whether the server is too (it may be on this machine).
    const offline = () => this.#abort?.abort()
    window.addEventListener("offline", offline)
    this.#stopReturn = () => {
      stopReturn()
      window.removeEventListener("offline", offline)
    }
    void this.#run()
  }

  close(): void {
    this.#closed = true
    this.#stopReturn()
    this.#abort?.abort()
    this.#wake?.()
  }

  #returned(): void {
    this.#wake?.()
    if (this.#watchdog && this.#watchdog.silence > SILENCE_DOUBT) this.#abort?.abort()
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      this.#options.onStatus("connecting")
      const final = await this.#readOnce()
      if (this.#closed) return
      if (final) {
        this.#closed = true
        this.#stopReturn()
        this.#options.onStatus("gone")
        return
      }
      this.#failures++
      this.#options.onStatus("waiting")
      await this.#wait(waitAfter(this.#failures))
    }
  }

  /** One connection, from request to end. True means that there is no sense in another. */
  async #readOnce(): Promise<boolean> {
    const abort = new AbortController()
    this.#abort = abort
    const watchdog = new Watchdog(SILENCE_LIMIT, () => abort.abort())
    this.#watchdog = watchdog
    try {
      const response = await this.#request(abort.signal)
      if (response.status === 401) signedOut()
      if (response.status === 401 || response.status === 404) return true
      if (!response.ok || !response.body) return false
      this.#opened(response)
      await this.#readBody(response.body, watchdog)
    } catch {
      // The connection broke; the caller connects again from the cursor.
    } finally {
      watchdog.stop()
      this.#watchdog = undefined
      abort.abort()
    }
    return false
  }

  #request(signal: AbortSignal): Promise<Response> {
    const cursor = this.#options.cursor()
    const path = `/api/sessions/${encodeURIComponent(this.#options.key)}/events?after=${cursor}&client=${clientId}`
    return fetch(path, {
      signal,
      cache: "no-store",
      headers: { ...pageHeaders(), Accept: "text/event-stream", "Last-Event-ID": String(cursor) },
    })
  }

  #opened(response: Response): void {
    this.#failures = 0
    this.#options.onStatus("open")
    const date = Date.parse(response.headers.get("Date") ?? "")
    if (!Number.isNaN(date)) this.#options.onSkew?.(date - Date.now())
  }

  async #readBody(body: ReadableStream<Uint8Array>, watchdog: Watchdog): Promise<void> {
    const parser = new EventParser()
    const decoder = new TextDecoder()
    const reader = body.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done || this.#closed) return
      watchdog.heard()
      const events = parser.push(decoder.decode(value, { stream: true })).flatMap(eventFrom)
      if (events.length > 0) this.#options.onEvents(events)
    }
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake?.(), milliseconds)
      this.#wake = () => {
        clearTimeout(timer)
        this.#wake = undefined
        resolve()
      }
    })
  }
}

/** Calls `bark` when nothing was heard for `limit` milliseconds. */
class Watchdog {
  readonly #limit: number
  readonly #bark: () => void
  #timer: ReturnType<typeof setTimeout>
  #heardAt = Date.now()

  constructor(limit: number, bark: () => void) {
    this.#limit = limit
    this.#bark = bark
    this.#timer = setTimeout(bark, limit)
  }

  /** Milliseconds since something was heard. */
  get silence(): number {
    return Date.now() - this.#heardAt
  }

  heard(): void {
    this.#heardAt = Date.now()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#bark, this.#limit)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}

/** A frame as an event. Unknown kinds pass through (the reducer ignores them); broken JSON is dropped and logged. */
function eventFrom(frame: { id?: string; event: string; data: string }): FeedEvent[] {
  try {
    const event = { kind: frame.event, data: JSON.parse(frame.data) as unknown } as FeedEvent
    if (frame.id !== undefined && /^\d+$/.test(frame.id)) event.seq = Number(frame.id)
    return [event]
  } catch (error) {
    console.error("an event of the feed is not JSON", frame.event, error)
    return []
  }
}
