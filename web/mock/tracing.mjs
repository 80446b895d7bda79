// Collectors that traces are exported to, and ratings of replies, as the mock keeps them. No collector is asked: a key with "wrong" in it is refused.
import { HttpProblem } from "./http.mjs"

const names = ["otlp", "langfuse"]

export class Tracing {
  #list = []

  /** Status and body of a request. */
  answer(method, url, body) {
    if (url.pathname === "/api/tracing") return [200, { targets: names.map((name) => this.#of(name)) }]
    const [, , , name, what] = url.pathname.split("/")
    if (!names.includes(name)) throw new HttpProblem(422, "There is no such target.")
    const stands = this.#of(name)
    if (method === "DELETE") {
      this.#list = this.#list.filter((target) => target.name !== name)
      return [204]
    }
    if (name === "langfuse" && (!body.public_key || (!body.secret && !stands.key_hint))) throw new HttpProblem(400, "Langfuse needs the public key and the secret key of a project: enter both")
    if (what === "test") return [200, body.secret?.includes("wrong") ? { passed: false, problem: "the target does not accept the key or the headers (401 Unauthorized): enter others", ms: 12 } : { passed: true, ms: 34 }]
    if ((body.revision ?? 0) !== stands.revision) throw new HttpProblem(409, "the target was changed or removed meanwhile: reload it")
    const kept = {
      name, source: "installation", enabled: body.enabled, endpoint: body.endpoint || "https://cloud.langfuse.com", public_key: body.public_key, content: body.content ?? false,
      key_hint: body.secret ? `…${body.secret.slice(-4)}` : stands.key_hint, revision: stands.revision + 1, changed_at: new Date().toISOString(), changed_by: "admin", waiting: 0,
    }
    this.#list = [...this.#list.filter((target) => target.name !== name), kept]
    return [200, kept]
  }

  #of = (name) => this.#list.find((target) => target.name === name) ?? { name, enabled: false, content: false, revision: 0, waiting: 0 }
}

export class Ratings {
  #list = []

  /** Those of all users, the newest first. */
  received = () => ({ ratings: this.#list.toReversed().map(({ key, rating }) => ({ ...rating, session: key, user: "admin" })) })

  /** Status and body of a request about a conversation: part is what follows its key. */
  answer(method, session, part, body) {
    if (part === "/ratings") return [200, { ratings: this.#list.filter(({ key }) => key === session.key).map(({ rating }) => rating) }]
    const id = Number(part.split("/")[2])
    const left = this.#list.filter(({ key, rating }) => key !== session.key || rating.message_id !== id)
    if (method === "DELETE" && left.length === this.#list.length) throw new HttpProblem(404, `you have not rated reply ${id}`)
    this.#list = left
    if (method === "PUT") this.#list.push({ key: session.key, rating: { message_id: id, helpful: body.helpful, comment: body.comment, rated_at: new Date().toISOString() } })
    return [204]
  }
}
