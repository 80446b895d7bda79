// Triggers in the mock: what other programs may call.
import { HttpProblem } from "./http.mjs"

/** The triggers of the person. */
export class Triggers {
  #next = 1
  #triggers = []

  /** Answers a request. */
  answer(method, path, body) {
    const [, id, verb] = /^\/api\/triggers(?:\/(\w+)(?:\/(secret|fires))?)?$/.exec(path) ?? []
    if (id === undefined) return method === "GET" ? [200, { triggers: this.#triggers }] : [201, this.#add(body)]
    const trigger = this.#triggers.find((known) => known.id === id)
    if (!trigger) throw new HttpProblem(404, "There is no such trigger.")
    if (verb === "fires") return [200, { fires: [{ delivery: "d-1", at: new Date().toISOString(), event: "ping", bytes: 2, outcome: "done", session: trigger.session }] }]
    if (verb === "secret") return [200, shown(trigger)]
    if (method === "DELETE") this.#triggers = this.#triggers.filter((known) => known !== trigger)
    else Object.assign(trigger, { one_shot: false, off: false }, body)
    return method === "DELETE" ? [204] : [200, trigger]
  }

  #add(body) {
    const id = `trigger${this.#next++}`
    const trigger = { source: "generic", session: `hook:${id}`, per_minute: 60, ...body, id, url: `https://xbot.example/hooks/${id}`, fires: 0, created_at: new Date().toISOString() }
    this.#triggers = [...this.#triggers, trigger]
    return shown(trigger)
  }
}

const shown = (trigger) => ({ trigger, secret: "5ec12e7".repeat(9), example: `curl '${trigger.url}'` })
