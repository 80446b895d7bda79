import { fileWord } from "../../api/file-mentions"
import { asProblem } from "../../api/problem"
import type { UploadedFile } from "../../api/types"
import { Store } from "../../lib/store"
import { addToDraft } from "../../outbox/drafts"

/** Bytes that one file may have; the server's limit. */
export const LARGEST_FILE = 100 * 1024 * 1024

/** A file on its way to the server, or one that did not get there. Those that did are in the draft. */
export interface Upload {
  id: number
  name: string
  size: number
  /** Bytes that have left. */
  sent: number
  /** Why it was not taken, for people; missing while it is on its way. */
  problem?: string
}

type Send = (key: string, file: File, signal: AbortSignal, onSent: (bytes: number) => void) => Promise<UploadedFile>

let last = 0

/** The files that are being sent into one session, one after another; each that arrives is named in the draft. */
export class Uploads {
  readonly entries = new Store<Upload[]>([])
  readonly #key: string
  readonly #draft: string
  readonly #send: Send
  readonly #stops = new Map<number, AbortController>()
  #queue: Promise<void> = Promise.resolve()

  constructor(key: string, draft: string, send: Send) {
    this.#key = key
    this.#draft = draft
    this.#send = send
  }

  /** Sends files after `ready`, which makes the session where there is none yet. `tooLarge` says that a file is. */
  add(files: File[], ready: () => Promise<unknown>, tooLarge: string): void {
    for (const file of files) {
      const id = ++last
      const refused = file.size > LARGEST_FILE
      this.#change((entries) => [...entries, { id, name: file.name, size: file.size, sent: 0, problem: refused ? tooLarge : undefined }])
      if (refused) continue
      const stop = new AbortController()
      this.#stops.set(id, stop)
      this.#queue = this.#queue.then(() => this.#deliver(id, file, stop.signal, ready))
    }
  }

  /** Ends an upload, or forgets one that failed. */
  drop(id: number): void {
    this.#stops.get(id)?.abort()
    this.#forget(id)
  }

  async #deliver(id: number, file: File, signal: AbortSignal, ready: () => Promise<unknown>): Promise<void> {
    if (signal.aborted) return
    try {
      await ready()
      const stored = await this.#send(this.#key, file, signal, (sent) => this.#update(id, { sent }))
      if (signal.aborted) return
      addToDraft(this.#draft, fileWord(stored.path))
      this.#forget(id)
    } catch (error) {
      if (!signal.aborted) this.#update(id, { problem: asProblem(error).message })
    }
  }

  #forget(id: number): void {
    this.#stops.delete(id)
    this.#change((entries) => entries.filter((entry) => entry.id !== id))
  }

  #update(id: number, change: Partial<Upload>): void {
    this.#change((entries) => entries.map((entry) => (entry.id === id ? { ...entry, ...change } : entry)))
  }

  #change(change: (entries: Upload[]) => Upload[]): void {
    this.entries.set(change(this.entries.get()))
  }
}
