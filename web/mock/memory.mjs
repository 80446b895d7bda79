// What is remembered of the person.
import { HttpProblem } from "./http.mjs"

const DAY = 86_400_000
const at = (days) => new Date(Date.now() - days * DAY).toISOString()

const switches = { memorize: true, locked: false, soul_read: true, soul_write: true, subagent: false, subagent_soul_write: false, consumers: false, recent: 0 }

export class Memory {
  #profile = { content: "", timezone: "", revision: 0 }
  #versions = []
  #items = [
    { id: "note/likes.md", kind: "note", name: "likes.md", at: at(2), content: "Green tea in the morning, never coffee.\nAnswers in short paragraphs." },
    { id: "block/human", kind: "block", name: "human", at: at(9), max: 2000, content: "Mara keeps the importer and the database hosts running. She works from Lindau." },
    { id: "archive/12", kind: "archive", at: at(20), content: "The disks of db1 were replaced in October; the old ones made errors under load." },
    { id: "log/3", kind: "log", at: at(31), session: "agent:main:web:thread:trip", content: "Planned a week in the Dolomites: trains to Bozen, huts reserved from Monday." },
  ]
  #jobs = [
    { id: 2, session: "agent:main:web:thread:anew", title: "Sketch a plan for the garden", trigger: "reset", state: "waiting", at: at(0) },
    { id: 1, session: "agent:main:web:thread:cli", title: "Draft the incident report", trigger: "reset", state: "failed", at: at(12), error: "the model did not answer" },
  ]

  /** Somebody else, or the agent, writes what is there. */
  change(id, content) {
    this.#find(id).content = content
  }

  /** Somebody else, or another page, writes the profile. */
  overwrite(content) {
    this.#put({ ...this.#profile, content })
  }

  /** Answers a request; undefined for another route. */
  answer(route, query, body) {
    switch (route) {
      case "GET /api/memory":
        if (query.get("agent") === "ops") return [200, { items: [], names: ["main", "ops"], jobs: [], archived: 0, switches: { ...switches, memorize: false, soul_read: false, soul_write: false } }]
        return [200, { items: this.#items, names: ["main", "ops"], jobs: this.#jobs, archived: 1, switches }]
      case "GET /api/memory/search":
        return [200, { items: this.#items.filter(({ content }) => content.toLowerCase().includes(query.get("q").toLowerCase())) }]
      case "GET /api/profile":
        return [200, this.#profile]
      case "PUT /api/profile":
        return [200, this.#put(body)]
      case "GET /api/profile/versions":
        return [200, { versions: this.#versions.toReversed().map((version) => ({ ...version, content: undefined })) }]
      case "POST /api/profile/rollback": {
        const { content, timezone } = this.#version(body.to)
        return [200, this.#put({ content, timezone, revision: body.version })]
      }
      case "PUT /api/memory":
        return [204, this.#edit(body)]
      case "POST /api/memory/forget":
        this.#items = this.#items.filter(({ id }) => !body.items.some((item) => item.id === id))
        return [204]
    }
    const [, method, n] = /^(GET|DELETE) \/api\/profile\/versions\/(\d+)$/.exec(route) ?? []
    if (method === "GET") return [200, this.#version(Number(n))]
    if (method === "DELETE") return [204, void this.#versions.splice(this.#versions.indexOf(this.#version(Number(n))), 1)]
  }

  #version(n) {
    const found = this.#versions.find(({ version }) => version === n)
    if (!found) throw new HttpProblem(404, "There is no such version of your profile.")
    return found
  }

  #put({ content, timezone, revision }) {
    if (revision !== this.#profile.revision) throw new HttpProblem(409, "The profile was changed meanwhile.")
    this.#profile = { content, timezone, revision: revision + 1, updated_at: at(0) }
    this.#versions.push({ version: revision + 1, content, timezone, changed_at: at(0), changed_by: "admin", characters: [...content].length })
    return this.#profile
  }

  #find(id) {
    const item = this.#items.find((known) => known.id === id)
    if (!item) throw new HttpProblem(404, "Nothing of the kind is remembered.")
    return item
  }

  #edit({ id, was, content }) {
    if (was === "" && !this.#items.some((known) => known.id === id)) {
      const [kind, ...name] = id.split("/")
      this.#items.unshift({ id, kind, name: name.join("/"), at: at(0), content })
      return
    }
    const item = this.#find(id)
    if (item.content !== was) throw new HttpProblem(409, "It was changed meanwhile: look at it again.")
    Object.assign(item, { content, at: at(0) })
  }
}
