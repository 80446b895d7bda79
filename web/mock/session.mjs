import { EventEmitter } from "node:events"

let lastMessage = 0
let lastInbox = 0

/** One session with its transcript, its queue and its feed. All of it lives in memory. */
export class Session {
  events = new EventEmitter().setMaxListeners(0)
  /** Durable events by sequence - 1. */
  log = []
  messages = []
  queued = []
  todos = []
  turns = []
  running = ""
  accepted = new Map()
  approvals
  tasks
  context

  constructor(key, over = {}) {
    const now = new Date().toISOString()
    Object.assign(this, { key, channel: "web", title: "", pinned: false, cwd: "", runner: "local", created_at: now, updated_at: now, ...over })
  }

  view() {
    const { key, channel, title, pinned, cwd, runner, created_at, updated_at } = this
    const running = this.running ? { running: this.running } : {}
    return { key, channel, title, pinned, cwd, runner, queued: this.queued.length, waiting: this.approvals?.waiting || undefined, seq: this.log.length, created_at, updated_at, ...running, ...this.#fill() }
  }

  #fill() {
    const { context, fork_of } = this
    return { context_used: context?.used ?? 0, context_max: context?.max ?? 0, context_mode: context?.mode, fork_of }
  }

  /** Takes a message and what follows, up to the command that asks for it, out of the conversation. */
  rewind(from) {
    const upto = this.messages.at(-1).id - 1
    this.messages = this.messages.filter((message) => message.id < from || message.id > upto)
    this.tell("rewind", { from, upto })
  }

  /** Adds a durable event and tells it. */
  tell(kind, data) {
    const event = { seq: this.log.length + 1, kind, data: structuredClone(data) }
    this.log.push(event)
    this.events.emit("event", event)
  }

  /** Tells something that is not kept. */
  whisper(kind, data) {
    this.events.emit("event", { kind, data })
  }

  /** Takes a message once per client id. Returns its inbox id, or undefined when the id came with another text. */
  accept(clientId, text, more = {}) {
    const known = this.accepted.get(clientId)
    if (known) return known.text === text ? { id: known.id, duplicate: true } : undefined
    const id = ++lastInbox
    this.accepted.set(clientId, { id, text })
    this.updated_at = new Date().toISOString()
    if (!this.title) this.title = text.split("\n")[0].slice(0, 60)
    const entry = { inbox_id: id, client_message_id: clientId, text, ...more }
    this.queued.push(entry)
    this.tell("queued", entry)
    return { id, duplicate: false }
  }

  /** Takes a command: its row is there at once, and no turn waits for it. */
  acceptCommand(clientId, text) {
    const known = this.accepted.get(clientId)
    if (known) return { id: known.id, duplicate: true }
    const id = ++lastInbox
    this.accepted.set(clientId, { id, text })
    if (!this.title) this.title = text.slice(0, 60)
    this.append({ role: "user", origin: "command", content: text, inbox_id: id, client_message_id: clientId })
    return { id, duplicate: false }
  }

  /** The end of a background task waits for its turn like a message, but nobody is told so. */
  queueEnd(text) {
    this.queued.push({ inbox_id: ++lastInbox, text, origin: "background" })
  }

  /** Appends a transcript row and tells it. */
  append(message) {
    const row = { session: this.key, step: 0, content: "", created_at: new Date().toISOString(), ...message, id: ++lastMessage }
    this.messages.push(row)
    this.tell("message", row)
    return row
  }
}
