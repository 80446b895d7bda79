// What a person sets for themselves, and who changed which setting.
import { HttpProblem } from "./http.mjs"

const options = (values) => Object.entries(values).map(([value, title]) => ({ value, title }))

const settings = [
  { name: "language", title: "Language of answers", free: true, options: options({ "": "the one that you write in", zh: "Chinese", en: "English", de: "German" }) },
  { name: "timezone", title: "Time zone", free: true, options: options({ "": "as the installation has it" }) },
  { name: "model", title: "Model", free: true, options: options({ "": "as the installation has it", "mock/scripted": "mock/scripted" }) },
  { name: "preset", title: "What tools may do", free: false, options: options({ "": "as the installation has it", ask: "ask before changes" }) },
  { name: "memory", title: "Memory of conversations", free: false, options: options({ "": "as the installation has it", off: "off" }) },
  { name: "think", title: "How much models think", free: false, options: options({ "": "as they do by themselves", off: "off", low: "low", high: "high" }) },
  {
    name: "context_mode",
    title: "Old parts of long conversations",
    free: false,
    options: options({ "": "as the installation has it", auto: "summarized automatically", none: "summarized when I ask" }),
  },
  { name: "soul", title: "Soul files", free: false, options: options({ "": "as the installation has it", off: "off" }) },
  { name: "agent_notes", title: "What agents remember of me", free: false, options: options({ "": "they read and write it", locked: "they only read it" }) },
  { name: "theme", title: "Theme of the page", free: false, options: options({ "": "as each device chose", auto: "as its system", light: "light", dark: "dark" }) },
  { name: "page_language", title: "Language of the page", free: false, options: options({ "": "as each device chose", en: "English", zh: "Chinese" }) },
]

const installation = [
  { kind: "channel", name: "feishu", before: { enabled: true, secrets: "set" }, after: { enabled: false, secrets: "new" } },
  { kind: "person", name: "bob", owner: "bob", before: { role: "member" }, after: { role: "admin" } },
  { kind: "key", name: "tavily", before: {}, after: { secrets: "new" } },
]

export class Preferences {
  #chosen = {}
  #versions = []

  /** How the page looks, as GET /api/me says it. */
  get look() {
    return { theme: this.#chosen.theme || undefined, language: this.#chosen.page_language || undefined }
  }

  /** The person, on another device. */
  elsewhere(name, value) {
    this.#set(name, value)
  }

  /** Answers a request; undefined for another route. */
  answer(route, query, body) {
    const name = /^PUT \/api\/preferences\/(\w+)$/.exec(route)?.[1]
    if (name) return [200, this.#set(name, body.value)]
    switch (route) {
      case "GET /api/preferences":
        return [200, this.#view()]
      case "GET /api/preferences/versions":
        return [200, { versions: this.#versions.toReversed() }]
      case "POST /api/preferences/rollback":
        return [200, this.#back(body)]
      case "GET /api/changes": {
        const own = this.#versions.map(({ version, name, before, after, changed_at, changed_by }) => ({ id: version, kind: "preference", name, owner: "admin", before: before ? { value: before } : {}, after: after ? { value: after } : {}, changed_at, changed_by }))
        const others = installation.map((change, n) => ({ id: 1000 + n, changed_at: new Date().toISOString(), changed_by: "admin", ...change }))
        return [200, { changes: [...own, ...(query.get("installation") === "true" ? others : [])].toReversed() }]
      }
    }
  }

  #view() {
    return { settings: settings.map((setting) => this.#shown(setting)), version: this.#versions.length }
  }

  #shown(setting) {
    const value = this.#chosen[setting.name] ?? ""
    return { ...setting, value, shown: setting.options.find((option) => option.value === value)?.title ?? value }
  }

  #set(name, value) {
    const setting = settings.find((known) => known.name === name)
    if (!setting) throw new HttpProblem(404, `There is no setting “${name}”.`)
    if (!setting.free && !setting.options.some((option) => option.value === value)) throw new HttpProblem(400, `${setting.title} cannot be “${value}”.`)
    const before = this.#chosen[name] ?? ""
    if (before !== value) this.#versions.push({ version: this.#versions.length + 1, name, before, after: value, changed_at: new Date().toISOString(), changed_by: "admin" })
    this.#chosen[name] = value
    return this.#shown(setting)
  }

  #back({ to, version }) {
    if (version !== this.#versions.length) throw new HttpProblem(409, "Your preferences were changed meanwhile: look at them again.")
    const undone = new Set()
    for (const { name, before } of this.#versions.slice(to)) {
      if (undone.has(name)) continue
      undone.add(name)
      this.#set(name, before)
    }
    return this.#view()
  }
}
