import { randomId } from "../../lib/ids"
import { Store } from "../../lib/store"
import { createConversation, follow, readConversation, sendMessage, stopConversation, upload, watch } from "../api/calls"
import { Problem, type Trouble } from "../api/problem"
import { events } from "../api/sse"
import type { Answerer, Attachment, ChatEvent, Message } from "../api/types"
import { entitle, titleFrom, titleOf, touch, unlist } from "./list"
import { type Live, nothing, reduce, withoutOpen, withResult, withSaid } from "./live"
import { dropAllPending, dropDraft, dropPending, keepDraft, keepPending, type Pending, pendingOf } from "./outbox"
import { beforeAttempt, sleep } from "./wait"

/** What a visitor reads of one conversation. */
export interface State {
  id?: string
  messages: Message[]
  live: Live
  /** What was sent and is not among the messages yet. */
  pending?: Sent
  doing: "idle" | "loading" | "sending" | "running" | "stopping"
  /** Who answers: a person of the house may have taken the conversation from the agent. */
  by: Answerer
  /** The turn that runs, where a scheduled task has begun it. */
  task?: string
  trouble?: { kind: Trouble; message: string; until?: number }
  /** Why the last message has no answer, where the messages do not say so. */
  failed?: string
  /** What could not be sent: it goes back to where it was written. */
  returned?: { text: string; files: File[] }
}

interface Sent {
  text: string
  attachments: Attachment[]
  /** They are on their way. */
  files: File[]
  /** The last message before it; empty: there was none. */
  after: string
  /** The server has it. */
  taken?: boolean
}

/** Milliseconds that a limit may last for the page to wait by itself. */
const SHORT_LIMIT = 120_000

/** Attempts after which a server that answers with faults, about a minute, is left alone. */
const MOST_FAULTS = 9

/** Milliseconds after which a conversation is read again when somebody comes back to it. */
const STALE = 10_000

/**
 * One conversation on the page. Its messages come from the server; a stream tells what goes on. Whatever breaks, it reads the messages again
 * and follows from there. While nothing runs it waits for what others do in it, as long as it is seen. A message that was sent is sent again,
 * with the same key, until the server has taken it.
 */
export class Conversation {
  readonly state: Store<State>
  readonly #left = new AbortController()
  readonly #created: (id: string) => void
  #read = 0
  /** The last event that the messages hold. */
  #seq = 0
  #work: Promise<void> | undefined
  /** Ends the wait for news; undefined: there is other work, or none. */
  #rest: AbortController | undefined
  /** Other work waits for the end of this one, which then waits for no news. */
  #called = false
  #unseen = false

  /** Without an id it begins with the first message, which `created` is told of. */
  constructor(id: string | undefined, created: (id: string) => void) {
    this.#created = created
    this.state = new Store<State>({ id, messages: [], live: nothing, by: "agent", doing: id === undefined ? "idle" : "loading" })
    if (id !== undefined) this.#begin(() => this.#resume(id))
  }

  /** Ends all work for it; the turn goes on at the server. */
  leave(): void {
    this.#left.abort()
    this.#rest?.abort()
  }

  /** Sends a message; false: another one is on its way. */
  send(text: string, files: File[]): boolean {
    const { pending, doing, messages } = this.state.get()
    if (pending || doing !== "idle") return false
    const before = this.#call() // it may look for what has happened meanwhile
    const after = messages.at(-1)?.id ?? ""
    this.#set({ pending: { text, attachments: [], files, after }, doing: "sending", trouble: undefined, returned: undefined, failed: undefined, live: nothing })
    this.#begin(async () => {
      await before
      this.#called = false
      this.#set({ doing: "sending" })
      await this.#watch(await this.#send(text, files, after))
    })
    return true
  }

  /** Goes on after trouble, or looks for what has happened meanwhile. */
  again(): void {
    const { id } = this.state.get()
    if ((this.#work && !this.#rest) || id === undefined) return
    const before = this.#call()
    this.#set({ trouble: undefined })
    this.#begin(async () => {
      await before
      this.#called = false
      await this.#resume(id)
    })
  }

  /** Somebody comes back to the page. */
  look(now = Date.now()): void {
    if (!this.#unseen) {
      if (now - this.#read > STALE) this.again()
      return
    }
    this.#unseen = false
    void Promise.resolve(this.#work).then(() => this.again()) // the wait for news may be just about to end
  }

  /** Nobody sees the page: it waits for no news, so that many tabs do not take all connections that a browser has for the server. */
  hide(): void {
    if (!this.#rest) return
    this.#unseen = true
    this.#wake()
  }

  /** Ends the wait for news. */
  #wake(): void {
    this.#rest?.abort()
    this.#rest = undefined
  }

  /** Has other work begin when this one has ended, which is returned. */
  #call(): Promise<void> | undefined {
    this.#called = true
    this.#wake()
    return this.#work
  }

  stop(): void {
    const { id, doing } = this.state.get()
    if (id === undefined || doing !== "running") return
    this.#set({ doing: "stopping" })
    stopConversation(id).catch((error: unknown) => {
      if (this.state.get().doing === "stopping") this.#set({ doing: "running", trouble: troubleOf(error) })
    })
  }

  /** What was returned is where it was written. */
  took(): void {
    this.#set({ returned: undefined })
  }

  #set(change: Partial<State>): void {
    this.state.set({ ...this.state.get(), ...change })
  }

  /** One work at a time; its troubles are what the visitor reads. */
  #begin(work: () => Promise<void>): void {
    const begun = work()
      .catch((error: unknown) => {
        if (!this.#left.signal.aborted) this.#fail(error)
      })
      .finally(() => {
        if (this.#work === begun) this.#work = undefined
      })
    this.#work = begun
  }

  #fail(error: unknown): void {
    this.#wake()
    const trouble = troubleOf(error)
    const { id, pending } = this.state.get()
    if (trouble.kind === "gone" && id !== undefined) {
      unlist(id)
      dropAllPending(id)
    }
    const returned = pending && !pending.taken ? { text: pending.text, files: pending.files } : undefined
    if (returned) keepDraft(trouble.kind === "key" || trouble.kind === "gone" ? undefined : id, returned.text) // another key has other conversations
    this.#set({ trouble, doing: "idle", returned, ...(returned && { pending: undefined }) })
  }

  /** Reads it, follows what goes on, and sends what a page that went away has left. */
  async #resume(id: string): Promise<void> {
    await this.#follow(id)
    for (let kept; (kept = pendingOf(id)); ) {
      this.#set({ pending: { ...kept, files: [] }, doing: "sending" })
      this.#hideTakenPending()
      await this.#deliver(id, kept, false)
    }
    await this.#watch(id)
  }

  async #send(text: string, files: File[], after: string): Promise<string> {
    let id = this.state.get().id
    if (id === undefined) {
      id = (await this.#tirelessly(() => createConversation(this.#left.signal))).id
      keepDraft(id, text)
      dropDraft(undefined, text)
      this.#set({ id })
      this.#created(id)
    }
    touch(id, titleOf(id) || titleFrom(text || (files[0]?.name ?? "")))
    const attachments = await this.#upload(id, files)
    const pending = { key: randomId(), text, attachments, after }
    keepPending(id, pending)
    dropDraft(id, text)
    await this.#deliver(id, pending, true)
    return id
  }

  async #upload(id: string, files: File[]): Promise<Attachment[]> {
    const brought: Attachment[] = []
    for (const file of files) brought.push(...(await this.#tirelessly(() => upload(id, file, this.#left.signal))))
    return brought
  }

  /**
   * Sends a message until the server has taken it, then follows its turn. What an earlier attempt has brought may be answered in part, and
   * that is among the messages: only the stream of the first attempt is told as it comes.
   */
  async #deliver(id: string, pending: Pending, first: boolean): Promise<void> {
    let body: ReadableStream<Uint8Array>
    let attempts = 0
    try {
      body = await this.#tirelessly(() => {
        attempts++
        return sendMessage(id, pending, this.#left.signal)
      })
    } catch (error) {
      if (!this.#left.signal.aborted) dropPending(id, pending.key) // it was refused
      throw error
    }
    const taken = () => {
      dropPending(id, pending.key)
      touch(id, titleOf(id)) // other tabs look now
      const { pending: shown } = this.state.get()
      this.#set({ doing: "running", trouble: undefined, pending: shown && { ...shown, taken: true } })
    }
    const ended = await this.#listen(body, taken, !first || attempts > 1)
    if (ended === "untaken") {
      await beforeAttempt(1, this.#left.signal)
      return this.#deliver(id, pending, false)
    }
    await this.#follow(id)
  }

  /** Reads the messages, and what goes on after them, until nothing does. */
  async #follow(id: string): Promise<void> {
    for (let failed = 0; ; ) {
      const { messages, running, running_task: task, seq, title, answered_by = "agent" } = await this.#tirelessly(() => readConversation(id, this.#left.signal))
      this.#read = Date.now()
      this.#seq = seq
      if (title !== undefined) entitle(id, title)
      const { doing } = this.state.get()
      this.#set({ id, messages: messages ?? [], live: nothing, by: answered_by, task, doing: !running ? "idle" : doing === "stopping" ? doing : "running" })
      this.#hideTakenPending()
      if (!running) return
      const began = Date.now()
      const ended = await this.#listen(await this.#tirelessly(() => follow(id, seq, this.#left.signal)))
      failed = Date.now() - began > 2000 ? 0 : failed + 1
      if (ended !== "done" || failed > 1) await beforeAttempt(failed, this.#left.signal)
    }
  }

  /** Waits for what others do in it, until `#wake`, as long as it is seen. What cannot be reached is tried again without a word. */
  async #watch(id: string): Promise<void> {
    for (let failed = 0; !this.#called && !this.#left.signal.aborted; ) {
      this.#unseen = document.visibilityState === "hidden"
      if (this.#unseen) return
      const rest = new AbortController()
      this.#rest = rest
      const began = Date.now()
      const ended = await this.#hear(id, rest.signal)
      failed = ended === "news" || Date.now() - began > 2000 ? 0 : failed + 1
      if (ended !== "news") await (ended > 0 ? sleep(ended, rest.signal) : beforeAttempt(Math.max(failed, 1), rest.signal)).catch(() => undefined)
      if (this.#rest !== rest) return // who has ended it goes on
      this.#rest = undefined
      if (ended === "news") await this.#follow(id)
    }
  }

  /** Hears until something has to be read: news. Else it broke off, and may be tried again after so many milliseconds; 0: as soon as one likes. */
  async #hear(id: string, signal: AbortSignal): Promise<"news" | number> {
    try {
      for await (const { id: at, data } of events(await watch(id, this.#seq, signal))) {
        signal.throwIfAborted()
        const event = readEvent(data)
        if (event && !this.#takeBeside(event)) return "news"
        if (at !== undefined) this.#seq = Number(at)
      }
    } catch (error) {
      if (signal.aborted) return 0
      if (error instanceof Problem && error.kind === "limit") return Math.max(500, (error.until ?? 0) - Date.now())
      if (error instanceof Problem && !error.passes) throw error
    }
    return 0
  }

  /** Shows what an event tells that is no part of an answer; false: it tells something else. */
  #takeBeside(event: ChatEvent): boolean {
    if (event.type === "answers") this.#set({ by: event.by })
    else if (event.type === "said") this.#set({ messages: withSaid(this.state.get().messages, event) })
    else return false
    return true
  }

  /**
   * A message that the server had before the messages were read is among them, whatever it made of the text, or was dropped: it is shown once.
   * Of one that a page which went away has left nobody knows whether the server has it: it is looked for.
   */
  #hideTakenPending(): void {
    const { pending, messages } = this.state.get()
    if (!pending) return
    const since = messages.slice(messages.findIndex(({ id }) => id === pending.after) + 1)
    if (pending.taken || since.some(({ role, content }) => role === "user" && content === pending.text)) this.#set({ pending: undefined })
  }

  /** Hears a stream to its end: whether the turn is done, the stream broke off, or what was sent may not have arrived. */
  async #listen(body: ReadableStream<Uint8Array>, taken?: () => void, onlyTaken = false): Promise<"done" | "broken" | "untaken"> {
    let waits = taken
    try {
      for await (const { data } of events(body)) {
        this.#left.signal.throwIfAborted()
        waits?.()
        waits = undefined
        if (onlyTaken) return "broken"
        const event = readEvent(data)
        if (event && this.#take(event)) return "done"
      }
    } catch (error) {
      if (this.#left.signal.aborted) throw error
      // The connection broke: what is missing is read again.
    }
    if (waits) return "untaken"
    this.#set({ live: withoutOpen(this.state.get().live) })
    return "broken"
  }

  /** Shows what an event tells; true: it was the last one. */
  #take(event: ChatEvent): boolean {
    if (this.#takeBeside(event)) return false
    const { messages, live } = this.state.get()
    if (event.type === "begun") this.#set({ task: event.turn_id })
    if (event.type === "error") this.#set({ failed: event.content })
    const changed = withResult(messages, event)
    if (changed) this.#set({ messages: changed })
    else this.#set({ live: reduce(live, event) })
    return event.type === "done" || event.type === "error"
  }

  /** Repeats what may be repeated until it succeeds, or fails for good. */
  async #tirelessly<T>(attempt: () => Promise<T>): Promise<T> {
    for (let failed = 1; ; failed++) {
      try {
        const result = await attempt()
        if (this.state.get().trouble) this.#set({ trouble: undefined })
        return result
      } catch (error) {
        if (this.#left.signal.aborted || !(error instanceof Problem)) throw error
        const wait = error.kind === "limit" ? (error.until ?? 0) - Date.now() : 0
        if (!error.passes && (error.kind !== "limit" || wait > SHORT_LIMIT)) throw error
        if (error.kind === "busy" && failed === MOST_FAULTS) throw error
        if (failed > 1 || error.kind === "limit") this.#set({ trouble: troubleOf(error) })
        if (error.kind === "limit") await sleep(Math.max(wait, 500), this.#left.signal)
        else await beforeAttempt(failed, this.#left.signal)
      }
    }
  }
}

function troubleOf(error: unknown): NonNullable<State["trouble"]> {
  if (error instanceof Problem) return { kind: error.kind, message: error.message, until: error.until }
  console.error(error)
  return { kind: "busy", message: "" }
}

/** An event; undefined: it is none that this page knows. */
function readEvent(data: string): ChatEvent | undefined {
  try {
    const event = JSON.parse(data) as ChatEvent | null
    return typeof event?.type === "string" ? event : undefined
  } catch {
    return undefined
  }
}
