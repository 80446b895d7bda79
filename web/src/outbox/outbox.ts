import { onReturn, waitAfter } from "../api/backoff"
import { asProblem, type Problem } from "../api/problem"
import type { SessionChange } from "../api/routing"
import { readJson, writeJson } from "../lib/storage"
import { Store } from "../lib/store"

/** A message that the person sent and the feed has not shown yet. */
export interface Unsent {
  /** client_message_id: the server takes a message with the same id once, so sending again is always safe. */
  id: string
  key: string
  text: string
  /** The session is new and has to be made first. */
  fresh: boolean
  /** What was chosen for a new session before its first message. */
  setup?: SessionChange
  state: "sending" | "accepted" | "refused"
  /** Why the server refused it, for people. */
  reason?: string
}

/** The two calls an outbox makes. Both throw a Problem. */
export interface Mail {
  create: (key: string, setup?: SessionChange) => Promise<unknown>
  send: (key: string, id: string, text: string) => Promise<unknown>
}

/**
 * Sends messages one after another until the server has accepted each, across lost connections and reloads. What is not
 * accepted is kept in the browser; what is accepted stays here until `settle` says that the feed shows it.
 */
export class Outbox {
  readonly entries: Store<Unsent[]>
  readonly #mail: Mail
  readonly #place: string
  readonly #stopReturn: () => void
  #working = false
  #closed = false
  #wake: (() => void) | undefined

  /** `place` names the storage item; it carries the user, so that nobody sends another one's words. */
  constructor(mail: Mail, place: string) {
    this.#mail = mail
    this.#place = place
    this.entries = new Store(readJson<Unsent[]>(place, []))
    this.#stopReturn = onReturn(() => this.#wake?.())
    void this.#work()
  }

  close(): void {
    this.#closed = true
    this.#stopReturn()
    this.#wake?.()
  }

  send(entry: Pick<Unsent, "id" | "key" | "text" | "fresh" | "setup">): void {
    this.#change((entries) => [...entries, { ...entry, state: "sending" }])
    void this.#work()
  }

  /** Tries a refused message once more. */
  again(id: string): void {
    this.#update(id, { state: "sending", reason: undefined })
    void this.#work()
  }

  /** Takes a message out: the feed shows it, or the person gave it up. */
  settle(id: string): void {
    if (this.entries.get().some((entry) => entry.id === id)) this.#change((entries) => entries.filter((entry) => entry.id !== id))
  }

  async #work(): Promise<void> {
    if (this.#working) return
    this.#working = true
    for (let failures = 0; !this.#closed; ) {
      const entry = this.entries.get().find((candidate) => candidate.state === "sending")
      if (!entry) break
      const problem = await this.#deliver(entry)
      if (problem?.passing) await this.#wait(waitAfter(++failures))
      else failures = 0
    }
    this.#working = false
  }

  async #deliver(entry: Unsent): Promise<Problem | undefined> {
    try {
      if (entry.fresh) await this.#mail.create(entry.key, entry.setup)
      await this.#mail.send(entry.key, entry.id, entry.text)
      this.#update(entry.id, { state: "accepted", fresh: false })
      return undefined
    } catch (error) {
      const problem = asProblem(error)
      if (problem.status === 401) this.close() // kept, and sent after the next sign-in
      else if (!problem.passing) this.#update(entry.id, { state: "refused", reason: problem.message })
      return problem
    }
  }

  #update(id: string, change: Partial<Unsent>): void {
    this.#change((entries) => entries.map((entry) => (entry.id === id ? { ...entry, ...change } : entry)))
  }

  #change(change: (entries: Unsent[]) => Unsent[]): void {
    this.entries.set(change(this.entries.get()))
    const kept = this.entries.get().filter((entry) => entry.state !== "accepted")
    writeJson(this.#place, kept)
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
