// The SDK for xbot plugins in TypeScript. It has no dependencies and runs on Node 18 or newer: where Node does not read TypeScript by itself
// (before 22.18), compile or bundle it, for example with rolldown or esbuild.
//
//   const plugin = new Plugin()
//   plugin.tool("greet", async () => "Hello")
//   plugin.run()
//
// What a plugin adds stands in its plugin.json; a handler here answers what that names. An error that a handler throws is told to the model or
// the person, in its words.
import { createInterface } from "node:readline"

/** How long a message may be, in bytes, in either direction; what the plugin says with the end of its line. */
export const maxMessage = 1 << 20

/** How long an error or a line of the log may be, in characters. xbot keeps less. */
const maxWords = 4 << 10

/** A call of a tool. */
export interface Call<Arguments = Record<string, unknown>> {
  name: string
  arguments: Arguments
  /** The same when the call is repeated after a crash. */
  call: string
  session: string
  /** Who has the conversation; empty: nobody. */
  person: string
}

/** A slash command that somebody wrote. */
export interface Command {
  name: string
  /** What follows the name. */
  args: string
  session: string
  person: string
  language: "en" | "zh"
}

/** Where a prompt is made. */
export interface Scene {
  /** Of the enricher. */
  name: string
  session: string
  person: string
  channel: string
}

/** What a panel asks. */
export interface Ask<Params = unknown> {
  /** Of the widget. */
  name: string
  params: Params
  /** Who has the panel open. */
  person: string
  language: "en" | "zh"
}

/** An event, as docs/operate/hooks.md has it. */
export interface Payload {
  hook_event_name: string
  event_id: string
  session_id: string
  tool_name?: string
  tool_input?: unknown
  tool_output?: string
  prompt?: string
  [member: string]: unknown
}

/** What a hook decides; {} has no objection. */
export interface Answer {
  decision?: "allow" | "ask" | "defer" | "deny"
  reason?: string
  /** For the model. */
  context?: string
  updatedInput?: Record<string, unknown>
}

export type Settings = Record<string, string | number | boolean>

type Handler = (params: never, signal: AbortSignal) => unknown
interface Message {
  id?: number | string
  method?: string
  params?: Record<string, unknown>
  result?: unknown
  error?: { code: number; message: string; data?: { retry_after?: number } }
}
interface Waiting {
  resolve: (result: Record<string, unknown>) => void
  reject: (why: Error) => void
}

/** What the plugin keeps in the database of xbot, with the permission storage. A key has at most 256 bytes and a value 64 kB. */
export class Storage {
  private plugin: Plugin
  private person: string

  constructor(plugin: Plugin, person: string) {
    this.plugin = plugin
    this.person = person
  }

  async get(key: string): Promise<string | undefined> {
    const found = await this.plugin.ask("storage/get", { key, person: this.person })
    return (found.value as string | null) ?? undefined
  }

  async set(key: string, value: string): Promise<void> {
    await this.plugin.ask("storage/set", { key, value, person: this.person })
  }

  async delete(key: string): Promise<void> {
    await this.plugin.ask("storage/delete", { key, person: this.person })
  }

  /** The keys with a prefix that come behind another one, in order: at most 1000. */
  async list(prefix = "", after = ""): Promise<string[]> {
    return (await this.plugin.ask("storage/list", { prefix, after, person: this.person })).keys as string[]
  }
}

/** Says by its code what became of a message. After any other error xbot does not know. */
export class ChannelError extends Error {
  /** -32001: refused, now and later; -32002: too much at once; -32003: nothing was done, and it may work later. */
  code: number
  /** Of -32002: when to ask again, in seconds. */
  retryAfter?: number

  constructor(code: number, message: string, retryAfter?: number) {
    super(message)
    this.code = code
    this.retryAfter = retryAfter
  }
}

/** Who asks something of a channel: its name and an account. The other members are those of docs/guide/plugin-channels.md. */
export interface ChannelParams {
  channel: string
  account: string
  [member: string]: unknown
}

type ChannelMethod = "open" | "check" | "close" | "send" | "upload" | "fetch" | "delete" | "typing" | "react"

/** What a channel does, by the end of the method's name. */
export type Channel = Partial<Record<ChannelMethod, (params: ChannelParams, signal: AbortSignal) => unknown>>

/** One end of the conversation with xbot. */
export class Plugin {
  /** The settings that an administrator gave; there in handlers. */
  settings: Settings = {}

  private tools = new Map<string, Handler>()
  private commands = new Map<string, Handler>()
  private enrichers = new Map<string, Handler>()
  private channels = new Map<string, Channel>()
  private widgets = new Map<string, Handler>()
  private hook?: (payload: Payload, signal: AbortSignal) => Answer | Promise<Answer>
  private running = new Map<number | string, AbortController>()
  private waiting = new Map<number | string, Waiting>()
  private next = 0

  /** Answers calls of a tool. */
  tool<Arguments = Record<string, unknown>>(name: string, f: (call: Call<Arguments>, signal: AbortSignal) => string | Promise<string>): void {
    this.tools.set(name, f as Handler)
  }

  /** Answers a slash command. */
  command(name: string, f: (command: Command, signal: AbortSignal) => string | Promise<string>): void {
    this.commands.set(name, f as Handler)
  }

  /** Adds text to prompts. */
  enricher(name: string, f: (scene: Scene, signal: AbortSignal) => string | Promise<string>): void {
    this.enrichers.set(name, f as Handler)
  }

  /** Makes the plugin the platform of a channel of its plugin.json. What people write is told by ask("channels/receive", …). */
  channel(name: string, of: Channel): void {
    this.channels.set(name, of)
  }

  /** Answers what a panel asks, with anything that is JSON of at most 256 kB. */
  widget<Params = unknown>(name: string, f: (ask: Ask<Params>, signal: AbortSignal) => unknown): void {
    this.widgets.set(name, f as Handler)
  }

  /** Decides about the events of all hooks. */
  onHook(f: (payload: Payload, signal: AbortSignal) => Answer | Promise<Answer>): void {
    this.hook = f
  }

  /** What is kept for a person; without one: for the plugin itself. */
  storage(person = ""): Storage {
    return new Storage(this, person)
  }

  /** Writes a line into the log of the server. */
  log(level: "info" | "warn" | "error", message: string): void {
    this.send({ method: "log", params: { level, message: message.slice(0, maxWords) } })
  }

  /** Asks xbot something. */
  ask(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    const id = ++this.next
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject })
      if (this.send({ id, method, params })) return
      this.waiting.delete(id)
      reject(new Error("the message is too long"))
    })
  }

  /** Talks to xbot until xbot ends the plugin. */
  run(): void {
    const lines = createInterface({ input: process.stdin })
    lines.on("line", (line) => this.take(line))
    lines.on("close", () => process.exit(0))
  }

  private take(line: string): void {
    let m: Message
    try {
      m = JSON.parse(line) as Message
    } catch {
      return
    }
    if (m.method === undefined) this.answered(m)
    else if (m.method === "shutdown") process.exit(0)
    else if (m.method === "cancel") this.running.get(m.params?.id as number)?.abort()
    else if (m.id !== undefined) void this.handle(m.id, m.method, m.params ?? {})
  }

  private answered(m: Message): void {
    const waiting = this.waiting.get(m.id ?? "")
    this.waiting.delete(m.id ?? "")
    if (m.error) waiting?.reject(new ChannelError(m.error.code, m.error.message, m.error.data?.retry_after))
    else waiting?.resolve((m.result ?? {}) as Record<string, unknown>)
  }

  private async handle(id: number | string, method: string, params: Record<string, unknown>): Promise<void> {
    const controller = new AbortController()
    this.running.set(id, controller)
    try {
      this.reply(id, await this.dispatch(method, params, controller.signal))
    } catch (err) {
      const message = (err instanceof Error ? err.message : String(err)).slice(0, maxWords)
      if (method === "tools/call") this.reply(id, { text: message, error: true })
      else if (err instanceof ChannelError) this.send({ id, error: { code: err.code, message, data: { retry_after: err.retryAfter } } })
      else this.send({ id, error: { code: -32000, message } })
    } finally {
      this.running.delete(id)
    }
  }

  private async dispatch(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    const asked = (among: Map<string, Handler>) => {
      const f = among.get(String(params.name))
      if (!f) throw new Error("the plugin has nothing of this name")
      return f(params as never, signal)
    }
    if (method.startsWith("channels/")) {
      const f = this.channels.get(String(params.channel))?.[method.slice("channels/".length) as ChannelMethod]
      if (!f) throw new ChannelError(method === "channels/check" ? -32601 : -32001, "the channel cannot do this")
      return (await f(params as ChannelParams, signal)) ?? {}
    }
    const named = async (among: Map<string, Handler>) => ({ text: await asked(among) })
    switch (method) {
      case "initialize":
        this.settings = (params.settings ?? {}) as Settings
        return {}
      case "tools/call":
        return named(this.tools)
      case "commands/run":
        return named(this.commands)
      case "enrichers/enrich":
        return named(this.enrichers)
      case "widgets/ask":
        return (await asked(this.widgets)) ?? null
      case "hooks/handle":
        if (!this.hook) throw new Error("there is no hook")
        return this.hook(params.payload as Payload, signal)
    }
    throw new Error(`there is no method ${method}`)
  }

  private reply(id: number | string, result: unknown): void {
    if (!this.send({ id, result })) this.send({ id, error: { code: -32000, message: "the answer is too long" } })
  }

  /** Whether the message was not too long: xbot would end the process. */
  private send(m: Message): boolean {
    const line = JSON.stringify({ jsonrpc: "2.0", ...m }) + "\n"
    if (Buffer.byteLength(line) > maxMessage) return false
    process.stdout.write(line)
    return true
  }
}
