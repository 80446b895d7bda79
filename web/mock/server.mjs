// A stand-in for the server, for working on the page: the same HTTP API, a scripted model, everything in memory. It is no
// part of the product and listens on loopback only.
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"

import { Accounts } from "./accounts.mjs"
import { answerAction } from "./actions.mjs"
import { Approvals } from "./approvals.mjs"
import { Channels } from "./channels.mjs"
import { Jobs } from "./cron.mjs"
import { Hooks } from "./hooks.mjs"
import { Plugins } from "./plugins.mjs"
import { Inbox } from "./inbox.mjs"
import { Services } from "./published.mjs"
import { Memory } from "./memory.mjs"
import { Preferences } from "./preferences.mjs"
import { ToolKeys } from "./keys.mjs"
import { Shares } from "./shares.mjs"
import { Ratings, Tracing } from "./tracing.mjs"
import { Subscriptions } from "./models.mjs"
import { Connections } from "./connections.mjs"
import { McpProjects, McpServers } from "./mcp.mjs"
import { Registry } from "./registry.mjs"
import { Triggers } from "./triggers.mjs"
import { carryOut, isCommand, isQueued, Links, list } from "./commands.mjs"
import { Context, forkOf } from "./context.mjs"
import { content, folder, pictureOf, search as searchFiles, store, text as fileText, withFiles, writeText } from "./files.mjs"
import { HttpProblem, readBody, sendFile, sendJson, sendPage, sendProblem } from "./http.mjs"
import { sendPdfPage } from "./pdf.mjs"
import { agents, Limits, models, People, Policy, runQueries, search } from "./routing.mjs"
import { Session } from "./session.mjs"
import { Permissions } from "./permissions.mjs"
import { Prompts, Roles } from "./roles.mjs"
import { Runners } from "./settings.mjs"
import { Tasks } from "./tasks.mjs"
import { Turns } from "./turn.mjs"
import { usage } from "./usage.mjs"

const dist = new URL("../dist", import.meta.url).pathname
const user = { id: 1, name: "admin", role: "admin" }
const VERSION = "0.0.0-mock"

export class MockServer {
  epoch = 0
  sessions = new Map()
  permissions = new Permissions()
  runners = new Runners()
  limits = new Limits()
  turnNotices = { after_seconds: 60, chats: [{ channel: "feishu", peer: "ou_77ab" }, { channel: "napcat", account: "second", peer: "10001" }] }
  policy = new Policy()
  people = new People()
  accounts = new Accounts()
  channels = new Channels()
  jobs = new Jobs()
  triggers = new Triggers()
  connections = new Connections()
  mcpProjects = new McpProjects()
  mcpServers = new McpServers(this.connections)
  memory = new Memory()
  preferences = new Preferences()
  hooks = new Hooks()
  plugins = new Plugins()
  services = new Services()
  inbox = new Inbox(this.services)
  roles = new Roles()
  registry = new Registry()
  /** Whether conversations are named by what follows "# title" in a message. */
  titles = { model: true }
  prompts = new Prompts()
  subscriptions = new Subscriptions()
  toolKeys = new ToolKeys()
  #links = new Links()
  #turns = new Map()
  #cookies = new Map()
  #passes = new Set()
  #linkToken = randomBytes(16).toString("hex")
  #password
  #tokens = []
  #http
  #port = 0
  #away = Promise.resolve()
  #back
  #shares = new Shares()
  #ratings = new Ratings()
  #tracing = new Tracing()

  /** Listens on a port (0: any) and returns the address. */
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

  /** The one-time sign-in link. */
  get link() {
    return `${this.url}/login#token=${this.#linkToken}`
  }

  close() {
    for (const { tasks } of this.sessions.values()) tasks.close()
    return this.#hangUp()
  }

  #hangUp() {
    this.#http.closeAllConnections()
    return new Promise((done) => this.#http.close(done))
  }

  back() {
    return this.#away
  }

  /** Plays a SIGKILL: connections break and nobody listens until the start; model calls begin again afterwards. */
  kill() {
    this.epoch++
    this.#away = new Promise((back) => (this.#back = back))
    return this.#hangUp()
  }

  /** Plays the start after a kill. */
  async start() {
    await this.listen(this.#port)
    this.#back()
  }

  async #restart(milliseconds) {
    await this.kill()
    setTimeout(() => this.start(), milliseconds)
  }

  add(session) {
    this.sessions.set(session.key, session)
    const turns = new Turns(this, session)
    this.#turns.set(session.key, turns)
    session.context = new Context(session)
    session.approvals = new Approvals(this.permissions)
    session.tasks = new Tasks(session, () => turns.wake())
    return session
  }

  async #serve(request, response) {
    const url = new URL(request.url, this.url)
    const route = `${request.method} ${url.pathname}`
    const linked = /^\/files\/([\w-]+)$/.exec(url.pathname)
    if (linked) return this.#linked(response, linked[1])
    if (!/^\/(api|_mock|temporal|healthz)/.test(url.pathname)) return sendPage(response, dist, url.pathname)
    if (route === "POST /_mock/restart") {
      sendJson(response, 202, {})
      return void setTimeout(() => this.#restart(Number(url.searchParams.get("away") ?? 1000)), 50)
    }
    const shared = /^GET \/api\/shared\/([^/]+)$/.exec(route)?.[1]
    if (shared) return sendJson(response, 200, this.#shares.read(shared))
    const open = this.#open(route)
    if (open) return open(request, response)
    const cookie = /xbot_session=(\w+)/.exec(request.headers.cookie ?? "")?.[1]
    const key = this.#cookies.get(cookie)
    const shown = request.headers["x-xbot-page"] === key || this.#passes.delete(url.searchParams.get("pass")) || url.pathname.startsWith(`/temporal/k/${key}/`)
    if (key === undefined || !shown) throw new HttpProblem(401, "Sign in first.")
    if (url.pathname.startsWith("/temporal/")) return void response.end("The Temporal UI.")
    const match = /^\/api\/sessions\/([^/]+)(\/.+)?$/.exec(url.pathname)
    if (match) return this.#session(request, response, url, decodeURIComponent(match[1]), match[2] ?? "")
    if (/^GET \/api\/roles\/\d+\/file$/.test(route)) return sendFile(response, this.roles.file(url.pathname))
    const settings = (await this.#settings(request, route)) ?? (await this.#installation(request, url, route))
    if (settings) return sendJson(response, ...settings)
    return this.#account(request, response, url, route, cookie)
  }

  #open(route) {
    return {
      "GET /healthz": (_, response) => response.end("ok"),
      "GET /api/login": (_, response) => sendJson(response, 200, { needs_password: this.#password !== undefined, demo: true, version: VERSION, sign_on: "Example ID" }),
      "POST /api/login": async (request, response) => {
        const body = await readBody(request)
        this.#checkLogin(body)
        const cookie = randomBytes(16).toString("hex")
        const key = randomBytes(16).toString("hex")
        this.#cookies.set(cookie, key)
        response.setHeader("Set-Cookie", `xbot_session=${cookie}; HttpOnly; SameSite=Lax; Path=/`)
        sendJson(response, 200, { user, must_set_password: this.#password === undefined, page_key: key, browser: "mock" })
      },
    }[route]
  }

  #checkLogin({ token, username, password }) {
    if (token !== undefined) {
      if (token !== this.#linkToken) throw new HttpProblem(401, "This sign-in link was used before or is too old. Start the server again for a new one.")
      this.#linkToken = randomBytes(16).toString("hex")
    } else if (username !== user.name || this.#password === undefined || password !== this.#password) {
      throw new HttpProblem(401, "The user name or the password is wrong.")
    }
  }

  async #account(request, response, url, route, cookie) {
    const id = Number(/^\/api\/tokens\/(\d+)$/.exec(url.pathname)?.[1])
    if (request.method === "DELETE" && id) {
      this.#tokens = this.#tokens.filter((token) => token.id !== id)
      return sendJson(response, 204)
    }
    switch (route) {
      case "POST /api/logout":
        this.#cookies.delete(cookie)
        return sendJson(response, 204)
      case "GET /api/me":
        return sendJson(response, 200, { user, must_set_password: this.#password === undefined, model: "mock/scripted", version: VERSION, temporal_ui: `/temporal/k/${this.#cookies.get(cookie)}/`, demo: true, ...this.preferences.look })
      case "POST /api/passes": {
        const pass = randomBytes(16).toString("hex")
        this.#passes.add(pass)
        const address = new URL((await readBody(request)).url, this.url)
        address.searchParams.set("pass", pass)
        return sendJson(response, 201, { url: address.pathname + address.search })
      }
      case "POST /api/me/password":
        return this.#setPassword(await readBody(request), response)
      case "GET /api/tokens":
        return sendJson(response, 200, { tokens: this.#tokens })
      case "POST /api/tokens": {
        const token = { id: Date.now(), name: (await readBody(request)).name, created_at: new Date().toISOString() }
        this.#tokens.push(token)
        return sendJson(response, 201, { id: token.id, name: token.name, token: `xbt_${randomBytes(24).toString("base64url")}` })
      }
      case "GET /api/commands":
        return sendJson(response, 200, { commands: list })
      case "GET /api/todos":
        return sendJson(response, 200, { lists: this.#left() })
      case "GET /api/usage":
        return sendJson(response, 200, usage([...this.sessions.values()], Number(url.searchParams.get("days") ?? 30)))
      case "GET /api/sessions":
        return sendJson(response, 200, { sessions: this.#list(url.searchParams.get("q") ?? "", url.searchParams.get("shelf") ?? "listed") })
      case "POST /api/sessions":
        return this.#create(await readBody(request), response)
    }
    throw new HttpProblem(404, "There is nothing at this address.")
  }

  /** Status and body of what is set for the person; undefined for another route. */
  async #settings(request, route) {
    const [, kind, name = "", verb = ""] = /\/api\/(runners|permissions)(?:\/([^/]+))?(\/token|\/sandbox)?$/.exec(route.split("?")[0]) ?? []
    if (!kind) return undefined
    const { runners, permissions } = this
    const of = decodeURIComponent(name)
    switch (`${request.method} ${kind}${["active", "llm"].includes(name) ? `/${name}` : name && "/*"}${verb}`) {
      case "GET runners":
        return [200, runners.view()]
      case "POST runners":
        return [201, runners.create(await readBody(request))]
      case "PUT runners/active":
        return [200, runners.choose(await readBody(request))]
      case "PUT runners/llm":
        return [200, runners.chooseModel(await readBody(request))]
      case "PUT runners/*/sandbox":
        return [200, runners.confine(await readBody(request))]
      case "POST runners/*/token":
        return [200, runners.renew(of)]
      case "DELETE runners/*":
        return [204, runners.revoke(of)]
      case "GET permissions":
        return [200, permissions.view()]
      case "PUT permissions":
        return [200, permissions.choose(await readBody(request))]
      case "PUT permissions/*":
        return [200, permissions.set(of, await readBody(request))]
      case "DELETE permissions/*":
        return [204, permissions.remove(of, new URL(request.url, "http://mock").searchParams.get("pattern") ?? "")]
    }
  }

  /** Status and body of what holds for the whole installation; undefined for another route. */
  async #installation(request, url, route) {
    const { policy, people } = this
    if (url.pathname === "/api/models/choice" || url.pathname.startsWith("/api/subscriptions")) {
      return this.subscriptions.answer(request.method, url.pathname, await readBody(request))
    }
    if (route === "POST /api/transcriptions") return [200, await this.toolKeys.transcribe(request)]
    if (route === "GET /api/ratings") return [200, this.#ratings.received()]
    if (url.pathname.startsWith("/api/tracing")) return this.#tracing.answer(request.method, url, await readBody(request))
    if (url.pathname.startsWith("/api/keys")) return this.toolKeys.answer(request.method, url, await readBody(request))
    if (url.pathname.startsWith("/api/oauth/")) return this.connections.answer(request.method, url, await readBody(request))
    if (url.pathname.startsWith("/api/mcp-projects")) return this.mcpProjects.answer(request.method, url, await readBody(request))
    if (url.pathname.startsWith("/api/mcp-servers")) return this.mcpServers.answer(request.method, url, await readBody(request))
    const sessions = [...this.sessions.values()]
    const pairing = /^POST \/api\/pairings\/(\w+)$/.exec(route)?.[1]
    if (pairing) return [200, people.answer(pairing, await readBody(request))]
    if (/^\/api\/(users|invites)/.test(url.pathname)) return this.accounts.answer(request.method, url.pathname, await readBody(request))
    if (url.pathname.startsWith("/api/triggers")) return this.triggers.answer(request.method, url.pathname, await readBody(request))
    if (/^\/api\/(preferences|changes)/.test(url.pathname)) return this.preferences.answer(route, url.searchParams, await readBody(request))
    if (url.pathname.startsWith("/api/memory") || url.pathname.startsWith("/api/profile")) return this.memory.answer(route, url.searchParams, await readBody(request))
    if (route === "GET /api/panels") return [200, { panels: [] }]
    if (url.pathname.startsWith("/api/inbox")) return this.inbox.answer(request, url)
    if (url.pathname.startsWith("/api/services")) return (await this.inbox.hand(request, url)) ?? this.services.answer(request, url)
    if (url.pathname.startsWith("/api/plugins")) return this.plugins.answer(request, url)
    if (url.pathname.startsWith("/api/hooks")) return this.hooks.answer(request.method, url.pathname, await readBody(request))
    if (url.pathname.startsWith("/api/roles")) return this.roles.answer(request.method, url.pathname, await readBody(request))
    if (url.pathname.startsWith("/api/registry/")) return this.registry.answer(request, url)
    if (url.pathname.startsWith("/api/prompts")) return this.prompts.answer(request.method, url.pathname, url.searchParams, await readBody(request))
    if (url.pathname === "/api/service-tasks") return this.jobs.publish(await readBody(request))
    if (url.pathname.startsWith("/api/cron")) return this.jobs.answer(request.method, url.pathname, await readBody(request), url.searchParams)
    if (url.pathname.startsWith("/api/channels")) return this.channels.answer(request.method, url.pathname, url.searchParams, await readBody(request))
    switch (route) {
      case "GET /api/titles":
        return [200, this.titles]
      case "PUT /api/titles":
        return [200, (this.titles = await readBody(request))]
      case "GET /api/models":
        return [200, models]
      case "GET /api/agents":
        return [200, { agents }]
      case "GET /api/search":
        return [200, { results: search(sessions, url.searchParams.get("q") ?? "") }]
      case "GET /api/policy":
        return [200, policy.view(Number(url.searchParams.get("version")) || undefined)]
      case "GET /api/policy/versions":
        return [200, policy.versions()]
      case "PUT /api/policy":
        return [200, policy.save(await readBody(request))]
      case "POST /api/policy/check":
        return [200, policy.check(await readBody(request))]
      case "GET /api/policy/links":
        return [200, { links: policy.links }]
      case "DELETE /api/policy/links":
        policy.links = policy.links.filter(({ name }) => name !== url.searchParams.get("name"))
        return [204]
      case "GET /api/pairings":
        return [200, { pairings: people.pairings }]
      case "GET /api/access-grants":
        return [200, { grants: people.grants }]
      case "DELETE /api/access-grants":
        return [204, people.revoke(url.searchParams)]
      case "POST /api/link":
        return [201, { code: "QX7T-4MKE", expires_in: 600 }]
      case "GET /api/me/identities":
        return [200, { identities: people.identities }]
      case "DELETE /api/me/identities":
        return [200, people.unlink(url.searchParams)]
      case "GET /api/me/turn-notices":
        return [200, this.turnNotices]
      case "PUT /api/me/turn-notices": {
        const { to, after_seconds } = await readBody(request)
        if (to && !(after_seconds >= 10)) throw new HttpProblem(422, "after_seconds must be from 10 to 86400")
        this.turnNotices = { ...this.turnNotices, to, after_seconds: to ? after_seconds : 60 }
        return [200, this.turnNotices]
      }
      case "GET /api/inspect/sessions":
        return [200, { sessions: people.others }]
      case "GET /api/inspect/inbox":
        return [200, { messages: [], undelivered: this.channels.undelivered }]
      case "GET /api/inspect/runs":
        return [200, { links: runQueries() }]
      case "GET /api/policy/presets":
        return [200, this.permissions.presets]
      case "PUT /api/policy/presets":
        this.permissions.presets = await readBody(request)
        return [200, this.permissions.presets]
      case "GET /api/limits":
        return [200, this.limits.view(sessions)]
      case "PUT /api/limits":
        return [200, this.limits.save(await readBody(request), sessions)]
    }
  }

  #linked(response, token) {
    const file = this.#links.read(token)
    if (!file) throw new HttpProblem(403, "This link is not valid.")
    sendFile(response, file)
  }

  #setPassword({ password, current }, response) {
    if (this.#password !== undefined && current !== this.#password) throw new HttpProblem(403, "The current password is wrong.")
    if (password.length < 10) throw new HttpProblem(400, "The password needs at least 10 characters.")
    this.#password = password
    sendJson(response, 204)
  }

  #list(q, shelf) {
    return [...this.sessions.values()]
      .filter((session) => shelf === "all" || session.shelf === (shelf === "listed" ? "" : shelf))
      .filter((session) => session.chat_type !== "subagent" && session.title.toLowerCase().includes(q.toLowerCase()))
      .sort((a, b) => b.pinned - a.pinned || b.updated_at.localeCompare(a.updated_at))
      .map((session) => session.view())
  }

  /** What is left to do in the conversations. */
  #left() {
    return [...this.sessions.values()]
      .map(({ key, title, todos, updated_at }) => ({ session: key, title, updated_at, todos: todos.filter(({ done }) => !done) }))
      .filter(({ todos }) => todos.length > 0)
      .sort((a, b) => b.updated_at.localeCompare(a.updated_at))
  }

  #create({ key = `agent:main:web:thread:${randomBytes(8).toString("hex")}`, title = "", shelf = "" }, response) {
    const agent = /^agent:([^:]+):/.exec(key)?.[1] ?? "main"
    const session = this.sessions.get(key) ?? this.add(new Session(key, { title, agent, shelf }))
    sendJson(response, 201, session.view())
  }

  async #session(request, response, url, key, part) {
    const session = this.sessions.get(key)
    if (!session && request.method === "DELETE" && this.people.forget(key)) return sendJson(response, 204)
    if (!session) throw new HttpProblem(404, "There is no such session.")
    const route = `${request.method} ${part}`
    if (part === "/ratings" || /^\/messages\/\d+\/rating$/.test(part)) return sendJson(response, ...this.#ratings.answer(request.method, session, part, await readBody(request)))
    if (part.startsWith("/shares")) return sendJson(response, ...this.#shares.answer(request.method, session, part.slice("/shares".length), await readBody(request)))
    switch (route) {
      case "GET ":
        return sendJson(response, 200, session.view())
      case "PATCH ":
        Object.assign(session, await readBody(request))
        session.tell("session", session.view())
        return sendJson(response, 200, session.view())
      case "DELETE ":
        this.sessions.delete(key)
        session.events.emit("gone")
        return sendJson(response, 204)
      case "GET /messages":
        return sendJson(response, 200, page(session, url.searchParams))
      case "POST /messages": {
        const { client_message_id: id, text: words, files = [] } = await readBody(request)
        const { text, pictures } = withFiles(words, files)
        if (text === "refuse this") throw new HttpProblem(429, "Too many messages wait already. Send this one again later.")
        if (text === "reject this") throw new HttpProblem(403, "This conversation is read-only, so the message was not accepted.")
        if (isCommand(text)) return this.#command(session, id, text, response)
        if (!isQueued(text) && !text.startsWith("/") && this.#spoken(session, id, text, response)) return
        return this.#accept(session, id, text, isQueued(text), response, pictures)
      }
      case "GET /resets":
        return sendJson(response, 200, { resets: session.resets })
      case "GET /events":
        return follow(session, request, response, url)
      case "GET /turns":
        return sendJson(response, 200, { turns: session.turns.slice(0, Number(url.searchParams.get("limit") ?? 50)) })
      case "DELETE /turn":
        if (session.chat_type === "subagent") return sendJson(response, 202, { stopped: session.team.stop(key) ?? "", queued: 0 })
        return sendJson(response, 202, this.#turns.get(key).stop())
    }
    const picture = pictureOf(/^\/pictures\/([0-9a-f]{64})$/.exec(part)?.[1])
    if (picture) {
      response.writeHead(200, { "Content-Type": "image/png", "X-Content-Type-Options": "nosniff" })
      return response.end(picture)
    }
    const action = /^\/actions\/([^/]+)$/.exec(part)?.[1]
    if (action && request.method === "POST") return sendJson(response, answerAction(decodeURIComponent(action), await readBody(request)))
    const waiting = Number(/^\/queue\/(\d+)$/.exec(part)?.[1])
    if (waiting && request.method === "PUT") return sendJson(response, 200, session.edit(waiting, (await readBody(request)).text))
    if (waiting && request.method === "DELETE") return sendJson(response, 204, session.recall(waiting))
    if (await this.#context(request, response, session, part)) return
    if (await this.#parts(request, response, url, session, part)) return
    throw new HttpProblem(404, "There is nothing at this address.")
  }

  #accept(session, id, text, control, response, pictures, of) {
    const accepted = session.accept(id, text, { ...(control && { control }), ...(of && { of, mode: "followup" }), pictures })
    if (!accepted) throw new HttpProblem(409, "Another text was sent with this id.")
    sendJson(response, 202, accepted)
    const turns = this.#turns.get(session.key)
    if (!control && session.queue.mode === "interrupt") turns.interrupt()
    const quiet = session.queue.mode === "collect" ? 600 : 60
    setTimeout(() => turns.wake(), quiet)
  }

  /** What belongs to a session's context; false when the address is none of it. */
  async #context(request, response, session, part) {
    const { context } = session
    const body = async () => readBody(request)
    const result = /^\/calls\/([^/]+)\/result$/.exec(part)
    const step = /^\/turns\/([^/]+)\/steps\/(\d+)\/request$/.exec(part)
    const again = /^\/messages\/(\d+)\/again$/.exec(part)
    const route = `${request.method} ${result ? "result" : step ? "request" : part}`
    if (route === "GET result") {
      response.writeHead(200, { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" })
      response.end(context.whole(decodeURIComponent(result[1])))
    } else if (route === "GET request") sendJson(response, 200, context.request(step[1], Number(step[2])))
    else if (route === "GET /context") sendJson(response, 200, context.view())
    else if (route === "PUT /context") {
      context.mode = (await body()).mode
      sendJson(response, 200, context.view())
    } else if (route === "POST /compact") {
      const { client_message_id: id, focus = "" } = await body()
      this.#accept(session, id, `/compact ${focus}`.trim(), true, response)
    } else if (route === "POST /rewind") {
      const { client_message_id: id, message_id: from } = await body()
      if (!session.messages.some((message) => message.id === from && message.role === "user")) throw new HttpProblem(404, "There is no such message in this conversation.")
      this.#accept(session, id, `/rewind m${from}`, true, response)
    } else if (again && request.method === "POST") {
      const { client_message_id: id, text } = await body()
      const said = session.said(Number(again[1]))
      if (!said) throw new HttpProblem(404, "There is no such message in this conversation.")
      this.#accept(session, id, text ?? said.content, false, response, said.pictures, said.id)
    } else if (route === "PUT /branch") {
      session.switchTo((await body()).message_id)
      sendJson(response, 204)
    } else if (route === "POST /fork") sendJson(response, 201, this.add(forkOf(session, (await body()).message_id)).view())
    else return false
    return true
  }

  /** Takes a message as the answer to an open question; false when there is none. */
  #spoken(session, id, text, response) {
    const notice = session.approvals.answerInWords(text)
    if (notice === undefined) return false
    const accepted = session.acceptCommand(id, text)
    session.append({ role: "notice", origin: "command", content: notice, inbox_id: accepted.id })
    sendJson(response, 202, accepted)
    return true
  }

  #command(session, id, text, response) {
    const accepted = session.acceptCommand(id, text)
    sendJson(response, 202, accepted)
    if (accepted.duplicate) return
    const world = { session, approvals: session.approvals, runners: this.runners, links: this.#links }
    carryOut(text, world).catch((error) => session.append({ role: "notice", origin: "command", content: error.message }))
  }

  /** What belongs to a session's tasks, approvals and files; false when the address is none of theirs. */
  async #parts(request, response, url, session, part) {
    const [, kind, id = "", verb = ""] = part.split("/").map(decodeURIComponent)
    switch (`${request.method} ${kind}${id && kind !== "files" ? "/*" : id && `/${id}`}${verb && `/${verb}`}`) {
      case "GET tasks":
        sendJson(response, 200, { tasks: [...session.tasks.list(), ...(url.searchParams.get("all") ? (session.team?.works(session.key) ?? []) : [])] })
        return true
      case "GET tasks/*":
        sendJson(response, 200, session.tasks.read(id))
        return true
      case "GET tasks/*/output":
        sendFile(response, { content: session.tasks.whole(id), name: `${id}.txt` })
        return true
      case "POST tasks/*/kill":
        sendJson(response, 202, session.team?.kill(id) ?? session.tasks.kill(id))
        return true
      case "POST approvals": {
        const { answers } = await readBody(request)
        sendJson(response, 200, { results: answers.map(({ call_id, ...given }) => ({ call_id, status: 200, call: session.approvals.answer(call_id, given) })) })
        return true
      }
      case "PUT turns/*/allowance":
      case "DELETE turns/*/allowance": {
        const turn = session.turns.find((known) => known.id === id)
        if (!turn || turn.state !== "running") throw new HttpProblem(409, "The turn has ended.")
        session.approvals.allowAll(turn, request.method === "PUT")
        session.tell("turn", turn)
        sendJson(response, 200, turn)
        return true
      }
      case "POST approvals/*":
        sendJson(response, 200, session.approvals.answer(id, await readBody(request)))
        return true
      case "GET subagents": // the scripted model hands no work on: there is what was seeded
        sendJson(response, 200, { subagents: session.team?.subagents ?? [] })
        return true
      case "GET groups":
        sendJson(response, 200, { groups: session.team?.groupsOf(session.key) ?? [] })
        return true
      case "POST groups/*/end":
        sendJson(response, 204, session.team?.end(id))
        return true
      case "GET files":
        sendJson(response, 200, folder(url.searchParams.get("path") ?? ""))
        return true
      case "POST files":
        sendJson(response, 201, await store(request))
        return true
      case "GET files/text":
        sendJson(response, 200, fileText(url.searchParams.get("path") ?? ""))
        return true
      case "PUT files/text":
        sendJson(response, 200, writeText(await readBody(request)))
        return true
      case "GET files/search":
        sendJson(response, 200, searchFiles(url.searchParams.get("q") ?? ""))
        return true
      case "GET files/content":
        sendFile(response, content(url.searchParams.get("path") ?? ""))
        return true
      case "GET files/page":
        sendPdfPage(response, content(url.searchParams.get("path") ?? "").content, Number(url.searchParams.get("page") ?? 1))
        return true
      case "POST links": {
        const file = content((await readBody(request)).path)
        sendJson(response, 200, { url: this.#links.add(file.content, file.name), expires_at: new Date(Date.now() + 86_400_000).toISOString() })
        return true
      }
    }
    return false
  }
}

function page(session, query) {
  const limit = Number(query.get("limit") ?? 100)
  const before = Number(query.get("before") ?? Infinity)
  const all = session.messages.filter((message) => message.id < before)
  const messages = all.slice(-limit).map((message) => session.withVersions(message))
  return { messages, queued: session.queued.filter((entry) => !entry.origin), todos: session.todos, seq: session.log.length, has_more: all.length > messages.length }
}

/** Server-sent events: what the cursor has missed, then what happens. */
function follow(session, request, response, url) {
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" })
  const send = ({ seq, kind, data, to }) => {
    if (to && to !== url.searchParams.get("client")) return
    const id = seq ? `id: ${seq}\n` : ""
    response.write(`${id}event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`)
  }
  const after = Number(request.headers["last-event-id"] ?? url.searchParams.get("after") ?? 0)
  send({ kind: "hello", data: { seq: session.log.length, session: session.view() } })
  for (const event of session.log.slice(after)) send(event)
  const ping = setInterval(() => response.write(": ping\n\n"), 15_000)
  const gone = () => response.end()
  session.events.on("event", send)
  session.events.once("gone", gone)
  response.on("close", () => {
    clearInterval(ping)
    session.events.off("event", send)
    session.events.off("gone", gone)
  })
}
