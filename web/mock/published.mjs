// Services as administrators see them: one is there, with a key and two conversations.
import { randomBytes } from "node:crypto"

import { HttpProblem, readBody } from "./http.mjs"

const hex = (bytes) => randomBytes(bytes).toString("hex")
const now = () => new Date().toISOString()

const nothing = {
  description: "", model: "", system_prompt_version_id: 0, user_profile_version_id: 0, allowed_docs: ["*"], allowed_scripts: ["*"], capabilities: [], max_conversations: 1000,
  welcome_message: "", quick_questions: [], origins: [], limits: { requests_per_minute: 60, concurrent: 4, tokens_per_day: 0, pictures_per_day: 100, speech_characters_per_day: 100_000, video_seconds_per_day: 60 }, published: true,
}

const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
const row = (about) => ({ requests: 40, errors: 2, p50_ms: 340, p95_ms: 2100, max_ms: 5200, calls: 30, prompt_tokens: 52_000, cached_tokens: 20_000, completion_tokens: 6_000, cost: 0.31, ...about })

/** What consumers used, by day or by key. */
function usage(kind, group) {
  const rows = group === "key" ? [row({ key: "key_0a1b2c", key_name: "shop" })] : [row({ day: day(1), requests: 12, errors: 0 }), row({ day: day(0) })]
  return [200, { from: day(29), to: day(0), group, currency: "USD", total: row({ requests: 52 }), rows }]
}

export class Services {
  #services = []

  constructor() {
    const desk = this.#make({ name: "Help desk", description: "Answers what buyers ask.", model: "mock/scripted", origins: ["https://shop.example"], quick_questions: ["Where is my parcel?"], welcome_message: "**Hello!** Ask me." })
    this.#addKey(desk, "shop")
    this.#converse(desk, "Where is my parcel?", "<img src=x onerror=alert(1)> It is on its way.")
    this.#converse(desk, "Tulips", "They are sold out.")
  }

  #make(about) {
    const id = `svc_${hex(4)}`
    const service = { id, admin_id: 1, admin_name: "admin", ...nothing, ...about, revision: 1, created_at: now(), updated_at: now(), page: `/s/${id}`, list: [], said: [] }
    this.#services.push(service)
    return service
  }

  #addKey(service, name) {
    const key = `sk-svc-${hex(24)}`
    const made = { id: `key_${hex(3)}`, name, prefix: key.slice(0, 12), created_at: now() }
    service.list.push(made)
    return { ...made, key }
  }

  #converse(service, asked, answer) {
    const id = hex(5)
    const session = `agent:${service.id}:svc:thread:${id}`
    const message = (n, about) => ({ id: n, session, step: 0, created_at: now(), ...about })
    const call = { id: `${id}.0.0`, name: "Read", class: "read", state: "done", arguments: '{"file_path":"docs/parcels.md"}', summary: "docs/parcels.md", result: "Parcels take two days." }
    service.said.push({
      conversation: { id, session, key_id: service.list[0].id, source: "web", title: asked, created_at: now(), updated_at: now(), message_count: 2, running: false },
      messages: [message(1, { role: "user", content: asked }), message(2, { role: "assistant", content: answer, tool_calls: [call] })],
    })
  }

  /** All conversations, each with its service. */
  talks() {
    return this.#services.flatMap((service) => service.said.map((one) => ({ service, ...one })))
  }

  #view({ list, said, ...service }) {
    return { ...service, keys: list.filter((key) => !key.revoked_at).length, conversations: said.length }
  }

  /** Status and body of a request. */
  async answer(request, url) {
    const [, , , id, kind, of, verb] = url.pathname.split("/")
    const body = await readBody(request)
    if (!id) return request.method === "POST" ? [201, this.#view(this.#make(body))] : [200, { services: this.#services.map((one) => this.#view(one)) }]
    const service = this.#services.find((known) => known.id === id)
    if (!service) throw new HttpProblem(404, `there is no service "${id}"`)
    if (kind === "keys") return this.#keys(request.method, service, of, verb, body)
    if (kind === "usage" || kind === "usage.csv") return usage(kind, url.searchParams.get("group"))
    if (kind === "conversations") return this.#conversations(request.method, service, of, url.searchParams.get("q") ?? "")
    if (request.method === "DELETE") {
      this.#services = this.#services.filter((other) => other !== service)
      return [202]
    }
    if (request.method === "PATCH") {
      const { revision, ...change } = body
      if (revision && revision !== service.revision) throw new HttpProblem(409, "the service was changed meanwhile: read it again")
      const bad = change.origins?.find((origin) => !/^https?:\/\/[\w.:-]+$/.test(origin))
      if (bad) throw new HttpProblem(400, `"${bad}" is no site; write one such as https://shop.example`)
      Object.assign(service, change, { revision: service.revision + 1 })
    }
    return [200, this.#view(service)]
  }

  #keys(method, service, id, verb, body) {
    if (!id) return method === "POST" ? [201, this.#addKey(service, body.name)] : [200, { keys: service.list }]
    const key = service.list.find((known) => known.id === id)
    if (verb === "rotate") {
      const secret = `sk-svc-${hex(24)}`
      key.prefix = secret.slice(0, 12)
      return [200, { ...key, key: secret }]
    }
    key.revoked_at = now()
    return [204]
  }

  #conversations(method, service, id, q) {
    const found = service.said.filter(({ conversation }) => conversation.title.toLowerCase().includes(q.toLowerCase()))
    if (!id) return [200, { conversations: found.map(({ conversation }) => conversation), more: false }]
    const one = service.said.find(({ conversation }) => conversation.id === id)
    if (!one) throw new HttpProblem(404, `there is no conversation "${id}"`)
    if (method === "DELETE") {
      service.said = service.said.filter((other) => other !== one)
      return [202]
    }
    return [200, { ...one, has_more: false }]
  }
}
