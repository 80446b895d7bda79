import { EventEmitter } from "node:events"

import { HttpProblem } from "./http.mjs"

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
  agent = "main"
  chat_type = "direct"
  origin = {}
  model = ""
  think = ""
  preset = ""
  shelf = ""
  queue = {}
  resets = []
  branches = []

  constructor(key, over = {}) {
    const now = new Date().toISOString()
    Object.assign(this, { key, channel: "web", title: "", pinned: false, cwd: "", runner: "local", created_at: now, updated_at: now, ...over })
  }

  view() {
    const { key, channel, title, pinned, cwd, runner, created_at, updated_at, agent, chat_type, origin, model, think, queue, preset, shelf } = this
    const running = this.running ? { running: this.running } : {}
    return { key, channel, title, pinned, cwd, runner, queued: this.queued.length, waiting: this.approvals?.waiting || undefined, seq: this.log.length, created_at, updated_at, agent, chat_type, origin, model, think: think || undefined, queue, preset: preset || undefined, shelf: shelf || undefined, ...running, ...this.#fill() }
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

  /** Puts a message and what follows away for another version of it. */
  #replace(of) {
    const group = this.#versions(of)
    const current = this.messages.find(({ id }) => group.ids.includes(id))
    if (!current) return undefined
    const at = this.messages.indexOf(current)
    group.away.set(current.id, this.messages.slice(at))
    this.messages = this.messages.slice(0, at)
    this.tell("rewind", { from: current.id, upto: lastMessage })
    return group
  }

  /** Brings another version of a message back, with what followed it. */
  switchTo(id) {
    const group = this.branches.find(({ ids }) => ids.includes(id))
    const current = group && this.messages.find((message) => group.ids.includes(message.id))
    if (!current) throw new HttpProblem(409, "This version cannot be brought back.")
    if (current.id === id) return
    if (this.running) throw new HttpProblem(409, "An answer is being written. Switch when it is done, or stop it first.")
    const at = this.messages.indexOf(current)
    group.away.set(current.id, this.messages.slice(at))
    this.messages = [...this.messages.slice(0, at), ...group.away.get(id)]
    group.away.delete(id)
    this.tell("rewind", { from: group.ids[0], upto: lastMessage, again: true })
  }

  #versions(of) {
    const known = this.branches.find(({ ids }) => ids.includes(of))
    if (known) return known
    const made = { ids: [of], away: new Map() }
    this.branches.push(made)
    return made
  }

  /** What a person wrote, also in a version that is away. */
  said(id) {
    const all = [...this.messages, ...this.branches.flatMap(({ away }) => [...away.values()].flat())]
    return all.find((message) => message.id === id && message.role === "user" && !message.origin)
  }

  /** A message with its versions, as it is told. */
  withVersions(message) {
    const ids = this.branches.find((group) => group.ids.includes(message.id))?.ids
    return ids?.length > 1 ? { ...message, branches: ids } : message
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
    if (this.shelf === "archived") this.shelf = ""
    if (!this.title) this.title = text.split("\n")[0].slice(0, 60)
    const mode = this.queue.mode || (this.chat_type === "direct" ? "steer" : "followup")
    const entry = { inbox_id: id, client_message_id: clientId, text, mode: more.control ? "followup" : mode, ...more }
    if (mode === "supersede" || mode === "interrupt") this.#supersede(entry)
    this.queued.push(entry)
    this.tell("queued", entry)
    return { id, duplicate: false }
  }

  /** A newer message takes the place of those that wait. */
  #supersede(by) {
    const replaced = this.queued.filter((entry) => !entry.origin && !entry.control)
    this.queued = this.queued.filter((entry) => !replaced.includes(entry))
    by.replaces = [...replaced.flatMap((entry) => [...(entry.replaces ?? []), entry])]
    for (const { inbox_id } of replaced) {
      this.tell("dropped", { inbox_id, outcome: "superseded", text: "Not answered on its own: a newer message took its place. The model still sees it." })
    }
  }

  /** The message with an id, while it waits. */
  #waiting(inbox) {
    const entry = this.queued.find((candidate) => candidate.inbox_id === inbox)
    if (!entry) throw new HttpProblem(409, "This message does not wait any more.")
    return entry
  }

  edit(inbox, text) {
    const entry = this.#waiting(inbox)
    entry.text = text
    this.tell("queued", entry)
    return entry
  }

  recall(inbox) {
    const entry = this.#waiting(inbox)
    this.queued = this.queued.filter((candidate) => candidate !== entry)
    this.tell("dropped", { inbox_id: inbox, outcome: "recalled", text: "Taken back before it was answered." })
  }

  /** Brings a claimed message into the transcript, behind what it replaced. */
  take(turn, { text, origin, control, inbox_id, client_message_id, sender, pictures, of, replaces = [] }) {
    const group = of && this.#replace(of)
    for (const { text: content, inbox_id: inbox, sender: who } of replaces) {
      this.append({ role: "user", turn_id: turn, origin: "superseded", content, sender: who, inbox_id: inbox })
    }
    this.append({ role: "user", turn_id: turn, origin: control ? "command" : origin, content: text, sender, inbox_id, client_message_id, pictures }, group)
  }

  /** Begins anew for the model. */
  reset(turn, reason, content) {
    const { id, created_at } = this.append({ role: "notice", origin: "reset", turn_id: turn, content })
    this.resets.push({ id: this.resets.length + 1, at: created_at, reason, upto: id })
    this.todos = []
    this.tell("todos", [])
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
  append(message, versions) {
    const row = { session: this.key, step: 0, content: "", created_at: new Date().toISOString(), ...message, id: ++lastMessage }
    this.messages.push(row)
    versions?.ids.push(row.id)
    this.tell("message", this.withVersions(row))
    return row
  }
}
