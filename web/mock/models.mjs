// What the mock knows of subscriptions to providers and of the models that a person chose. No provider is asked: an address with
// ":9/" in it is one where nobody is, and a key with "wrong" in it is refused.
import { HttpProblem } from "./http.mjs"
import { models } from "./routing.mjs"

const offered = [
  { id: "anthropic/claude-sonnet-5", max_context: 1_000_000, vision: true, price: { input: 3, cached: 0.3, output: 15 } },
  { id: "openai/gpt-5-mini", max_context: 400_000, vision: true, price: { input: 0.25, cached: 0.03, output: 2 } },
  ...Array.from({ length: 300 }, (_, n) => ({ id: `lab/model-${n + 1}`, max_context: 128_000 })),
]

const problemOf = ({ base_url = "", key = "" }) => {
  if (base_url.includes(":9/")) return "the connection to 127.0.0.1:9 failed: connect: connection refused (network)"
  return key.includes("wrong") ? "the key was not accepted (401): enter another one" : undefined
}

export class Subscriptions {
  #list = []
  #choice = { model: "", tiers: { vanguard: "", balance: "", swift: "" } }
  #last = 0

  /** Status and body of a request about subscriptions or the choice of models. */
  answer(method, path, body) {
    if (path === "/api/models/choice") return [200, this.#choose(method === "PATCH" ? body : {})]
    if (path === "/api/subscriptions/offered") return [200, problemOf(body) ? { models: [], problem: problemOf(body) } : { models: offered }]
    if (path === "/api/subscriptions/try") {
      const problem = problemOf(body)
      return [200, { model: body.model, passed: problem === undefined, text: problem ? undefined : "OK", problem, ms: 840 }]
    }
    const id = Number(/\/(\d+)$/.exec(path)?.[1])
    if (method === "GET") return [200, { subscriptions: this.#list }]
    if (method === "POST") return [201, this.#keep({ id: ++this.#last, revision: 0, key_hint: "" }, body)]
    const stands = this.#list.find((subscription) => subscription.id === id)
    if (!stands) throw new HttpProblem(404, "There is no such subscription.")
    this.#list = this.#list.filter((subscription) => subscription !== stands)
    return method === "DELETE" ? [204] : [200, this.#keep(stands, body)]
  }

  #keep(before, { key, forget, disabled, shared = false, name, provider, api_type, base_url = "", models = [] }) {
    if (this.#list.some((other) => other.name === name && other.shared === shared)) throw new HttpProblem(409, `there is a subscription named ${name}: choose another name`)
    const key_hint = forget ? "" : key ? `…${key.slice(-4)}` : before.key_hint
    const kept = { id: before.id, revision: before.revision + 1, shared, name, provider, api_type, base_url, key_hint, models, enabled: !disabled, changed_at: new Date().toISOString() }
    this.#list = [...this.#list, kept].sort((a, b) => a.id - b.id)
    return kept
  }

  #choose({ model, ...tiers }) {
    this.#choice = { model: model ?? this.#choice.model, tiers: { ...this.#choice.tiers, ...tiers } }
    return { ...this.#choice, usual: this.#choice.model || models.models[0].id }
  }
}
