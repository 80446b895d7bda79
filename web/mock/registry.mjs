// Skills and roles that people publish and install, in the mock. It reads what stands in an archive that was not packed.
import { HttpProblem } from "./http.mjs"

const now = () => new Date().toISOString()
const filesOf = (text) => [{ name: "SKILL.md", size: text.length, executable: false }, { name: "scripts/run.sh", size: 7, executable: true }]

const bytesOf = async (request) => {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

export class Registry {
  #next = 1
  #entries = []
  #installs = []

  constructor() {
    this.#publish({ name: "meeting-notes", text: "---\nname: meeting-notes\ndescription: Turns what was said into minutes, with who does what.\n---\nRead the transcript first.", owner: "lena", visibility: "everybody" })
  }

  /** Answers a request. */
  async answer(request, url) {
    const body = await bytesOf(request)
    const [, what, id, below, number] = /^\/api\/registry\/(\w+)(?:\/(\d+)(?:\/(\w+)(?:\/(\d+))?)?)?/.exec(url.pathname) ?? []
    if (what === "entries") return this.#entriesAnswer(request.method, url, body, Number(id), below, number)
    if (what === "installs") return this.#installsAnswer(request.method, Number(id), body)
    throw new HttpProblem(404, "There is nothing here.")
  }

  #entriesAnswer(method, url, body, id, below, number) {
    const query = url.searchParams
    if (!id && method === "POST") return [201, this.#upload(query, body)]
    if (!id) {
      const words = (query.get("q") ?? "").toLowerCase().split(" ")
      const found = this.#entries.filter((entry) => words.every((word) => `${entry.name} ${entry.description} ${entry.owner}`.toLowerCase().includes(word)) && (!query.get("own") || entry.own))
      return [200, { entries: found.map((entry) => this.#shown(entry)), more: false }]
    }
    const entry = this.#entries.find((known) => known.id === id)
    if (!entry) throw new HttpProblem(404, `There is no entry ${id} in the registry.`)
    if (below) return [200, query.get("name") === "SKILL.md" ? textOf("SKILL.md", entry.versions.find((version) => version.number === Number(number)).text) : textOf("scripts/run.sh", "echo hi")]
    if (method === "GET") {
      const shown = Number(query.get("version")) || entry.version.number
      const { text } = entry.versions.find((version) => version.number === shown)
      return [200, { entry: this.#shown(entry), versions: entry.versions.map((version) => ({ ...version, text: undefined })), shown, files: filesOf(text), main: textOf("SKILL.md", text) }]
    }
    if (method === "DELETE") this.#entries = this.#entries.filter((known) => known !== entry)
    else {
      const { visibility, withdrawn } = JSON.parse(body)
      if (visibility) entry.visibility = visibility
      if (withdrawn !== undefined) entry.withdrawn = withdrawn ? (entry.own ? "owner" : "administrator") : ""
      if (entry.withdrawn === "administrator") this.#installs = this.#installs.filter((install) => install.entry !== id)
    }
    return method === "DELETE" ? [204] : [200, this.#shown(entry)]
  }

  #upload(query, body) {
    if (body.includes("../")) throw new HttpProblem(400, 'the archive has a name that leads elsewhere: "../evil"')
    const text = /---\nname:[^]*?---\n[^\0]*?(?=PK)/.exec(body)?.[0]
    if (!text) throw new HttpProblem(400, "the archive is neither a skill, a folder with SKILL.md, nor a role, one file NAME.md")
    return this.#publish({ name: /name: (.*)/.exec(text)[1], text, owner: "admin", visibility: query.get("visibility") ?? "private", notes: query.get("notes") ?? "" })
  }

  #publish({ name, text, owner, visibility, notes = "" }) {
    const own = owner === "admin"
    const before = this.#entries.find((known) => known.name === name && known.own === own)
    const version = { number: (before?.version.number ?? 0) + 1, digest: "0".repeat(64), size: text.length + 7, files: 2, notes, published_at: now() }
    const entry = { id: before?.id ?? this.#next++, kind: "skill", name, description: /description: (.*)/.exec(text)[1], tags: [], owner, own, visibility, withdrawn: "", text, version, versions: [{ ...version, text }, ...(before?.versions ?? [])] }
    this.#entries = [...this.#entries.filter((known) => known !== before), entry]
    return this.#shown(entry)
  }

  #shown(entry) {
    return { ...entry, text: undefined, versions: undefined, installed: this.#installs.filter((install) => install.entry === entry.id).length }
  }

  #installsAnswer(method, id, body) {
    if (!id && method === "GET") return [200, { installs: this.#installs.map((install) => ({ ...install, newest: this.#entries.find((entry) => entry.id === install.entry)?.version.number ?? 0 })) }]
    if (!id) return [200, this.#install(JSON.parse(body))]
    const install = this.#installs.find((known) => known.id === id)
    if (!install) throw new HttpProblem(404, `There is nothing installed with the number ${id}.`)
    if (method === "DELETE") this.#installs = this.#installs.filter((known) => known !== install)
    else install.enabled = JSON.parse(body).enabled
    return method === "DELETE" ? [204] : [200, install]
  }

  #install({ entry: of, version, shared = false }) {
    const { name, kind, description, owner, version: newest } = this.#entries.find((entry) => entry.id === of)
    const before = this.#installs.find((install) => install.entry === of && install.shared === shared)
    const install = { id: before?.id ?? this.#next++, kind, name, description, shared, enabled: true, entry: of, owner, number: version || newest.number, newest: newest.number, digest: newest.digest, size: newest.size, files: 2, installed_at: now(), disabled: false }
    this.#installs = [...this.#installs.filter((known) => known !== before), install]
    return install
  }
}

const textOf = (name, text) => ({ name, text, cut: false, binary: false })
