import { onReturn, waitAfter } from "../../api/backoff"
import { readConversation, readMessages } from "../../api/calls"
import { LiveConnection, type LiveStatus } from "../../api/live"
import { asProblem } from "../../api/problem"
import type { ClientAction, FeedEvent } from "../../api/types"
import { Store } from "../../lib/store"
import { type FeedAction, reduceFeed } from "./reduce"
import { emptyFeed, type FeedState } from "./state"

/** Conversations that keep what they know after the reader has left them, most recently read last. */
const KEPT = 12

/** How the page stands with the server about one session. "missing": there is no such session, at least not yet. */
export type Link = "loading" | "live" | "lost" | "missing"

/** One session as this page knows it, kept current while somebody reads it. */
export class Conversation {
  readonly key: string
  readonly feed = new Store<FeedState>(emptyFeed)
  readonly link = new Store<Link>("loading")
  /** Milliseconds that the server's clock is ahead of this machine's. */
  readonly skew = new Store(0)
  /** What a model wants this tab to show, the newest. */
  readonly action = new Store<ClientAction | undefined>(undefined)
  #readers = 0
  #live: LiveConnection | undefined
  #stopLoading: (() => void) | undefined

  constructor(key: string) {
    this.key = key
  }

  /** Keeps the conversation current until the returned function is called. */
  readonly read = (): (() => void) => {
    if (this.#readers++ === 0) this.#start()
    return () => {
      if (--this.#readers === 0) this.#stop()
    }
  }

  /** Asks again at once: the session may exist now, or the server may be back. */
  readonly retry = (): void => {
    if (this.#readers === 0 || this.link.get() === "live") return
    this.#stop()
    this.#start()
  }

  /** Reads the messages before the oldest known one. Throws a Problem. */
  async readOlder(): Promise<void> {
    const oldest = this.feed.get().messages[0]
    if (oldest) this.#apply({ type: "older", snapshot: await readMessages(this.key, oldest.id) })
  }

  /** Forgets a message that ended without a turn: the person has read why. */
  readonly forget = (inbox: number): void => {
    this.#apply({ type: "forget", inbox })
  }

  #start(): void {
    if (this.feed.get().loaded && !this.feed.get().stale) this.#connect()
    else void this.#load()
  }

  #stop(): void {
    this.#stopLoading?.()
    this.#live?.close()
    this.#live = undefined
  }

  /** Reads the snapshot, however often it takes, then the events that follow it. */
  async #load(): Promise<void> {
    this.#stop()
    let stopped = false
    let wake: (() => void) | undefined
    const stopReturn = onReturn(() => wake?.())
    this.#stopLoading = () => {
      stopped = true
      stopReturn()
      wake?.()
    }
    for (let failures = 1; ; failures++) {
      const outcome = await this.#snapshot(() => stopped)
      if (stopped) return
      if (outcome !== "again") {
        stopReturn()
        if (outcome === "loaded") this.#connect()
        return
      }
      await new Promise<void>((resolve) => {
        wake = resolve
        setTimeout(resolve, waitAfter(failures))
      })
      if (stopped) return
    }
  }

  async #snapshot(stopped: () => boolean): Promise<"loaded" | "missing" | "again"> {
    try {
      const { snapshot, turns } = await readConversation(this.key)
      if (stopped()) return "again"
      this.#apply({ type: "snapshot", snapshot })
      this.#apply({ type: "turns", turns })
      return "loaded"
    } catch (error) {
      const problem = asProblem(error)
      if (stopped()) return "again"
      this.link.set(problem.passing ? "lost" : "missing")
      return problem.passing ? "again" : "missing"
    }
  }

  #connect(): void {
    this.#live?.close()
    this.#live = new LiveConnection({
      key: this.key,
      cursor: () => this.feed.get().seq,
      onEvents: (events) => this.#heard(events),
      onStatus: (status) => this.#linked(status),
      onSkew: (milliseconds) => this.skew.set(milliseconds),
    })
  }

  #heard(events: FeedEvent[]): void {
    for (const event of events) if (event.kind === "action") this.action.set(event.data)
    this.#apply({ type: "events", events })
    if (this.feed.get().stale) void this.#load()
  }

  #linked(status: LiveStatus): void {
    if (status === "open") this.link.set("live")
    else if (status === "waiting") this.link.set("lost")
    else if (status === "gone") this.link.set("missing")
  }

  #apply(action: FeedAction): void {
    this.feed.set(reduceFeed(this.feed.get(), action))
  }
}

const known = new Map<string, Conversation>()

/** The conversation of a key, with what it knew when it was last read. */
export function conversationOf(key: string): Conversation {
  const conversation = known.get(key) ?? new Conversation(key)
  known.delete(key)
  known.set(key, conversation)
  for (const oldest of known.keys()) {
    if (known.size <= KEPT) break
    known.delete(oldest)
  }
  return conversation
}

export function forgetConversation(key: string): void {
  known.delete(key)
}

export function forgetConversations(): void {
  known.clear()
}
