// What consumers of services ask a person, and who answers in their conversations: one item is there, of the first conversation of the first service.
import { HttpProblem, readBody } from "./http.mjs"

export class Inbox {
  #services
  #items = []
  #hands = new Map()
  #said = new Map()

  constructor(services) {
    this.#services = services
    const [{ service, conversation }] = services.talks()
    this.#items.push({
      id: "inbox_0a1b2c3d", service_id: service.id, service_name: service.name, conversation_id: conversation.id, session: conversation.session, title: conversation.title,
      message: "She wants her money back for order 7. <img src=x onerror=alert(2)>", status: "unread", created_at: new Date().toISOString(), changed_at: new Date().toISOString(),
    })
  }

  #taken() {
    return this.#services.talks().filter(({ conversation }) => this.#hands.has(conversation.id)).map(({ service, conversation, messages }) => ({
      service_id: service.id, service_name: service.name, conversation_id: conversation.id, session: conversation.session, title: conversation.title,
      taken_by: "admin", taken_at: this.#hands.get(conversation.id), waiting: messages.at(-1)?.role === "user",
    }))
  }

  #unread() {
    return { items: this.#items.filter(({ status }) => status === "unread").length, waiting: this.#taken().filter(({ waiting }) => waiting).length }
  }

  #say(id, { text, client_message_id }) {
    const known = this.#said.get(client_message_id)
    if (known) return known
    const talk = this.#services.talks().find(({ conversation }) => conversation.id === id)
    if (!talk) throw new HttpProblem(404, `there is no conversation "${id}"`)
    if (text.includes("refuse me")) throw new HttpProblem(503, "the database is away; try again")
    const message = { id: talk.messages.length + 1, session: talk.conversation.session, step: 0, role: "assistant", origin: "person", sender: "admin", content: text, created_at: new Date().toISOString() }
    talk.messages.push(message)
    this.#said.set(client_message_id, message)
    return message
  }

  /** Status and body of a request about items. */
  async answer(request, url) {
    const [, , , id, verb] = url.pathname.split("/")
    if (!id) {
      const status = url.searchParams.get("status")
      return [200, { items: this.#items.filter((item) => !status || item.status === status), more: false, taken: this.#taken(), unread: this.#unread() }]
    }
    if (id === "unread-count") return [200, this.#unread()]
    const item = this.#items.find((known) => known.id === id)
    if (!item) throw new HttpProblem(404, `there is no item "${id}" in the inbox`)
    const body = await readBody(request)
    if (request.method === "DELETE") {
      this.#items = this.#items.filter((other) => other !== item)
      return [204]
    }
    if (request.method === "PATCH") item.status = body.status
    if (verb === "answer") {
      this.#say(item.conversation_id, body)
      Object.assign(item, { status: "handled", handled_by: "manual", answered_by: "admin" })
    }
    return [200, item]
  }

  /** Who answers in a conversation, or what a person says there; undefined: the request is about something else. */
  async hand(request, url) {
    const [, , , , kind, id, verb] = url.pathname.split("/")
    if (kind !== "conversations" || !verb) return undefined
    if (verb === "say") return [200, this.#say(id, await readBody(request))]
    if (verb === "take") this.#hands.set(id, new Date().toISOString())
    else this.#hands.delete(id)
    const item = this.#items.find((known) => known.conversation_id === id)
    if (item) item.taken_by = verb === "take" ? "admin" : undefined
    return [200, { taken: verb === "take" }]
  }
}
