// A stand-in for the server of services: their pages, and the consumer API behind them, with a scripted model and everything in memory. It is
// no part of the product and listens on loopback only. A message is a script, a step a line:
//   say TEXT · think TEXT · search WORDS · write JSON (the arguments of the next search, in pieces) · restart TEXT (told, and void) · hold (until release()) · waiting TEXT · fail TEXT
//   file PATH (made, and shown) · pause MILLISECONDS (between words) · anything else is repeated
import { createHash, randomBytes } from "node:crypto"
import { EventEmitter, once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"

import { HttpProblem, readBody, sendJson, sendPage, sendProblem } from "./http.mjs"

const dist = new URL("../dist", import.meta.url).pathname

export const garden = {
  service_id: "svc_0a1b2c3d",
  service_name: "Garden advice",
  service_desc: "Ask about plants, soil and seasons.",
  welcome_message: "Hello! I know **plants**, soil and seasons. Send a picture of what you grow, or begin with one of these:",
  quick_questions: ["say Tulips bloom in April and May.", "When do I sow tomatoes?", "What eats my roses?"],
}

export const KEY = `sk-svc-${"ab12".repeat(12)}`

/** A red square, as what a conversation has made or was sent. */
export const PICTURE = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAFElEQVR4nGO4o6GBFTEMLQk0h9IRAOLkTYGKY4HMAAAAAElFTkSuQmCC", "base64")

/** A tenth of a second of silence. */
const SOUND = (() => {
  const head = Buffer.alloc(44)
  head.write("RIFF", 0)
  head.writeUInt32LE(36 + 800, 4)
  head.write("WAVEfmt ", 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20) // PCM
  head.writeUInt16LE(1, 22) // one channel
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(8000, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write("data", 36)
  head.writeUInt32LE(800, 40)
  return Buffer.concat([head, Buffer.alloc(800, 128)])
})()

const types = { wav: "audio/wav", png: "image/png", jpg: "image/jpeg", mp3: "audio/mpeg", mp4: "video/mp4", pdf: "application/pdf" }
const typeOf = (path) => types[path.split(".").at(-1)] ?? "application/octet-stream"

export class ConsumerServer {
  services = new Map([[garden.service_id, { ...garden, origins: [], published: true }]])
  /** Keys, with the service of each. */
  keys = new Map([[KEY, garden.service_id]])
  conversations = new Map()
  /** All requests: method and path, with the query. */
  requests = []
  /** Milliseconds between words. */
  pace = 5
  /** Called with each request first; what it answers with true is answered. */
  intercept = () => false
  #tokens = new Map()
  #watched = new EventEmitter()
  #epoch = 0
  #held = []
  #http
  #port = 0
  #back = Promise.resolve()
  #start

  async listen(port = 0) {
    // Idle connections stay as long as the server keeps them: a client that reuses one at the end of its time gets an error.
    this.#http = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
      this.#serve(request, response).catch((error) => {
        if (!(error instanceof HttpProblem)) console.error(error)
        if (!response.headersSent) sendProblem(response, error instanceof HttpProblem ? error : new HttpProblem(500, "Something broke in the mock."))
      })
    })
    await new Promise((done) => this.#http.listen(port, "127.0.0.1", done))
    this.#port = this.#http.address().port
    return this.url
  }

  get url() {
    return `http://127.0.0.1:${this.#port}`
  }

  get page() {
    return `${this.url}/s/${garden.service_id}`
  }

  close() {
    this.release()
    this.#http.closeAllConnections()
    return new Promise((done) => this.#http.close(done))
  }

  /** Plays a SIGKILL: connections break, nobody listens, and the step of each turn begins anew after the start. */
  async kill() {
    this.#epoch++
    this.#back = new Promise((start) => (this.#start = start))
    this.release()
    await new Promise((done) => {
      this.#http.close(done)
      this.#http.closeAllConnections()
    })
  }

  async start() {
    await this.listen(this.#port)
    this.#start?.()
  }

  /** Lets turns that hold go on. */
  release() {
    for (const go of this.#held.splice(0)) go()
  }

  /** The messages of people in all conversations. */
  get asked() {
    return [...this.conversations.values()].flatMap(({ messages }) => messages.filter(({ role }) => role === "user").map(({ content }) => content))
  }

  async #serve(request, response) {
    const url = new URL(request.url, this.url)
    this.requests.push(`${request.method} ${url.pathname}${url.search}`)
    if (await this.intercept(request, response, url)) return
    const page = /^\/s\/([^/]*)(\/embed\.js)?$/.exec(url.pathname)
    if (page) return this.#page(response, page[1], page[2] !== undefined)
    if (!url.pathname.startsWith("/api/v1/")) return sendPage(response, dist, url.pathname)
    const path = url.pathname.slice("/api/v1".length)
    const file = /^\/conversations\/(\w+)\/(files|attachments)\/(.+)$/.exec(path)
    if (file && request.method === "GET") return this.#file(response, url, file)
    const service = this.#access(request)
    const key = request.headers.authorization
    if (`${request.method} ${path}` === "GET /service") return sendJson(response, 200, { id: service.service_id, name: service.service_name, model: "mock/scripted" })
    if (`${request.method} ${path}` === "POST /conversations") {
      const id = randomBytes(5).toString("hex")
      this.conversations.set(id, { id, key, title: "", source: request.headers["x-xbot-channel"] ?? "api", messages: [], events: [], step: [], seq: 0, turns: new Map(), watchers: new Set(), files: new Map(), attachments: new Map(), running: false })
      return sendJson(response, 201, { ...this.#meta(id), messages: [] })
    }
    if (`${request.method} ${path}` === "POST /chat") return this.#chat(request, response, key)
    const [, id, rest = ""] = /^\/conversations\/(\w+)(\/.*)?$/.exec(path) ?? []
    const conversation = this.#conversation(id, key)
    switch (`${request.method} ${rest}`) {
      case "GET ":
        return sendJson(response, 200, { ...this.#meta(id), messages: conversation.messages, running_task: conversation.task })
      case "DELETE ":
        this.conversations.delete(id)
        return sendJson(response, 204)
      case "POST /stop":
        conversation.stopped = true
        this.release()
        return sendJson(response, 200, { stopped: conversation.running })
      case "GET /media-token": {
        const token = randomBytes(12).toString("base64url")
        this.#tokens.set(token, id)
        return sendJson(response, 200, { token, expires_in: 21600 })
      }
      case "POST /attachments":
        return this.#attach(request, response, conversation)
      case "GET /events":
        return this.#stream(response, conversation, Number(request.headers["last-event-id"] ?? 0), [], url.searchParams.has("follow"))
    }
    throw new HttpProblem(404, "There is nothing at this address.")
  }

  /** A person of the house takes the only conversation from the agent, or gives it back. */
  take(by = "person") {
    const [conversation] = this.conversations.values()
    conversation.by = by
    this.#emit(conversation, { type: "answers", by }, true)
  }

  /** A person says something in the only conversation. */
  say(content) {
    const [conversation] = this.conversations.values()
    const id = randomBytes(4).toString("hex")
    conversation.messages.push({ id, role: "assistant", content, by: "person", timestamp: new Date().toISOString() })
    this.#emit(conversation, { type: "said", message_id: id, content, by: "person" }, true)
  }

  /** A task of the service runs in the only conversation. */
  task(script) {
    const [conversation] = this.conversations.values()
    const turn_id = `t-${randomBytes(4).toString("hex")}`
    this.#emit(conversation, { type: "begun", turn_id, origin: "task" }, true)
    this.#run(conversation, script, { turn_id, origin: "task" })
  }

  /** Resolves once so many pages wait for news. */
  async waits(pages) {
    const waiting = () => [...this.conversations.values()].reduce((sum, { watchers }) => sum + watchers.size, 0)
    while (waiting() !== pages) await once(this.#watched, "change")
  }

  /** Forgets all tokens, as time does. */
  expireTokens() {
    this.#tokens.clear()
  }

  #page(response, id, embed) {
    const service = this.services.get(id)
    if (!service?.published) {
      response.writeHead(service ? 403 : 404, { "Content-Type": "text/html; charset=utf-8" })
      return void response.end(embed ? "" : "<!doctype html><title>No</title><p>There is no service at this address.</p>")
    }
    const { origins, ...told } = { ...service, published: undefined }
    const asScript = (value) => JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)
    if (embed) {
      response.writeHead(200, { "Content-Type": "text/javascript; charset=utf-8", "Cross-Origin-Resource-Policy": "cross-origin" })
      return void response.end(readFileSync(`${dist}/embed.js`, "utf8").replace('"{{service}}"', () => asScript({ id, name: service.service_name, origins })))
    }
    const script = `window.__SVC__ = ${asScript(told)}`
    const hash = createHash("sha256").update(script).digest("base64")
    const html = readFileSync(`${dist}/service.html`, "utf8")
      .replace("<!--service-->", () => `<script>${script}</script>`)
      .replace("<title>xbot</title>", () => `<title>${service.service_name.replace(/[<>&]/g, (c) => `&#${c.charCodeAt(0)};`)}</title>`)
    response.writeHead(200, {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
      "Referrer-Policy": "no-referrer",
      "Content-Security-Policy": // that of web/service.go
        `default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' blob:; media-src 'self'; ` +
        `font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ${origins.join(" ") || "'none'"}`,
    })
    response.end(html)
  }

  #access(request) {
    const service = this.services.get(this.keys.get(request.headers.authorization?.replace("Bearer ", "")))
    if (request.headers.cookie) throw new HttpProblem(400, "A cookie came along.")
    if (!service) throw new HttpProblem(401, "This key is not valid.")
    if (!service.published) throw new HttpProblem(403, "This service is withdrawn.")
    return service
  }

  #conversation(id, key) {
    const found = this.conversations.get(id)
    if (!found || found.key !== key) throw new HttpProblem(404, "There is no such conversation.")
    return found
  }

  #meta(id) {
    const { title, source, messages, running, seq, by = "agent" } = this.conversations.get(id)
    return { answered_by: by, id, title, source, created_at: new Date().toISOString(), updated_at: new Date().toISOString(), message_count: messages.length, running, seq }
  }

  async #attach(request, response, conversation) {
    const form = await new Response(request, { headers: { "Content-Type": request.headers["content-type"] }, duplex: "half" }).formData()
    const file = form.get("file")
    const bytes = Buffer.from(await file.arrayBuffer())
    const path = `${randomBytes(3).toString("hex")}/${file.name}`
    conversation.attachments.set(path, bytes)
    sendJson(response, 200, [{ path, name: file.name, size: bytes.length, type: typeOf(file.name) }])
  }

  #file(response, url, [, id, from, written]) {
    const path = decodeURIComponent(written)
    if (this.#tokens.get(url.searchParams.get("token")) !== id) throw new HttpProblem(401, "This token is not valid.")
    const bytes = this.conversations.get(id)?.[from].get(path)
    if (!bytes) throw new HttpProblem(404, "There is no such file.")
    const saved = url.searchParams.has("download") || !(path.split(".").at(-1) in types)
    response.writeHead(200, { "Content-Type": typeOf(path), "X-Content-Type-Options": "nosniff", ...(saved && { "Content-Disposition": "attachment" }) })
    response.end(bytes)
  }

  async #chat(request, response, key) {
    const { conversation_id, message, attachments = [] } = await readBody(request)
    const conversation = this.#conversation(conversation_id, key)
    const again = request.headers["idempotency-key"]
    let turn = conversation.turns.get(again)
    if (turn && turn.message !== message) throw new HttpProblem(409, "This key came with another message.")
    if (!turn) {
      const id = randomBytes(4).toString("hex")
      turn = { message, id, from: conversation.seq }
      conversation.turns.set(again, turn)
      const sent = attachments.map((path) => ({ path, name: path.split("/").at(-1), type: typeOf(path), size: conversation.attachments.get(path).length }))
      conversation.messages.push({ id, role: "user", content: message, timestamp: new Date().toISOString(), attachments: sent })
      conversation.title ||= [...message].slice(0, 30).join("")
      this.#run(conversation, message)
    }
    if (this.cutNext) {
      this.cutNext = false
      return void request.socket.destroy()
    }
    this.#stream(response, conversation, turn.from, [{ type: "accepted", message_id: turn.id }])
  }

  #stream(response, conversation, after, first = [], stays = false) {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no" })
    const write = ({ seq, ...event }) => {
      response.write(`${seq === undefined ? "" : `id: ${seq}\n`}data: ${JSON.stringify(event)}\n\n`)
      if (!stays && (event.type === "done" || event.type === "error")) response.end()
    }
    response.write(": ping\n\n")
    for (const event of [...first, ...conversation.events.filter(({ seq }) => seq > after), ...conversation.step]) if (!response.writableEnded) write(event)
    if (!stays && !conversation.running && !response.writableEnded) return write({ type: "done", finish_reason: "stop" })
    conversation.watchers.add(write)
    this.#watched.emit("change")
    response.on("close", () => {
      conversation.watchers.delete(write)
      this.#watched.emit("change")
    })
  }

  #emit(conversation, event, lasting = false) {
    if (lasting) {
      event = { ...event, seq: ++conversation.seq }
      conversation.events.push(event)
      conversation.step = []
    } else if (event.type === "restart") conversation.step = []
    else conversation.step.push(event)
    for (const write of conversation.watchers) write(event)
  }

  async #run(conversation, message, about = {}) {
    Object.assign(conversation, { running: true, stopped: false, task: about.turn_id })
    const epoch = { of: this.#epoch }
    const tell = (event, lasting) => this.#emit(conversation, event, lasting)
    const told = { id: randomBytes(4).toString("hex"), role: "assistant", content: "", reasoning: "", tool_calls: [], timestamp: new Date().toISOString(), ...about }
    const lines = message === "" ? ["say I see your files."] : message.split("\n")
    let failed
    for (let n = 0; n < lines.length && !conversation.stopped && failed === undefined; n++) {
      const done = await this.#line(conversation, lines[n], tell, told, epoch).catch((error) => error)
      if (done === REPEAT) {
        await this.#back
        epoch.of = this.#epoch
        tell({ type: "restart" })
        n--
      } else if (done instanceof Error) failed = done.message
    }
    const answer = { ...told, ...(conversation.stopped && { stopped: true }), ...(failed !== undefined && { error: failed }) }
    conversation.messages.push(answer)
    tell({ type: "message", content: told.content }, true)
    Object.assign(conversation, { running: false, task: undefined })
    if (failed === undefined) tell({ type: "done", finish_reason: "stop", usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }, true)
    else tell({ type: "error", content: failed, code: "unavailable" }, true)
  }

  /** Does what a line says. It is told anew where a kill came between. */
  async #line(conversation, line, tell, told, epoch) {
    const [, verb = "", rest = ""] = /^(say|think|search|write|restart|hold|waiting|fail|file|pause) ?(.*)$/s.exec(line) ?? []
    const words = async (text, type) => {
      for (const word of text.split(/(?<=\s)/)) {
        tell({ type, content: word })
        await this.#pause(this.pace)
        if (this.#epoch !== epoch.of) throw REPEAT
        if (conversation.stopped) break
      }
    }
    switch (verb) {
      case "think":
        told.reasoning += rest
        return words(rest, "thinking")
      case "search": {
        const id = conversation.written ?? `call_${randomBytes(3).toString("hex")}`
        conversation.written = undefined
        const args = JSON.stringify({ query: rest })
        tell({ type: "tool_call", id, name: "web_search", args })
        await this.#pause(this.pace)
        const ok = rest !== "nothing"
        const result = ok ? `Found: ${rest}` : "The search failed."
        tell({ type: "tool_result", id, name: "web_search", content: result, ok })
        told.tool_calls.push({ id, name: "web_search", args, result, ok })
        return
      }
      case "write":
        conversation.written = `call_${randomBytes(3).toString("hex")}`
        for (const args_delta of rest.match(/.{1,8}/g)) tell({ type: "tool_call_chunk", id: conversation.written, name: "web_search", args_delta })
        return
      case "restart":
        await words(rest, "token")
        return tell({ type: "restart" })
      case "waiting":
        return tell({ type: "waiting", content: rest })
      case "hold":
        await new Promise((go) => this.#held.push(go))
        if (this.#epoch !== epoch.of) throw REPEAT
        return
      case "pause":
        this.pace = Number(rest)
        return
      case "fail":
        throw new Error(rest)
      case "file": {
        conversation.files.set(rest, made(rest))
        return this.#say(` <<FILE:/generated/${rest}>> `, told, words)
      }
      default:
        return this.#say(verb === "say" ? rest.replaceAll("\\n", "\n") : `You wrote: ${line}`, told, words)
    }
  }

  async #say(text, told, words) {
    await words(text + "\n\n", "token")
    told.content += text + "\n\n"
  }

  #pause(milliseconds) {
    return new Promise((go) => setTimeout(go, milliseconds))
  }
}

const made = (path) => (path.endsWith(".png") ? PICTURE : path.endsWith(".wav") ? SOUND : Buffer.from(`content of ${path}`))

const REPEAT = new Error("the server was killed: this line is told anew")
