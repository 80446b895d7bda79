// Roles of subagents, and the parts of the system prompt that a person can change.
import { HttpProblem } from "./http.mjs"

const BY = "admin"
const day = 86_400_000
const ago = (days) => new Date(Date.now() - days * day).toISOString()
const now = () => new Date().toISOString()

const tools = [
  ["FileCreate", "Creates a file, or replaces one."], ["FileReplace", "Replaces text in a file."], ["Glob", "Finds files by a pattern."], ["Grep", "Searches the contents of files."],
  ["Read", "Reads a file."], ["SendMessage", "Writes to another conversation."], ["Shell", "Runs a command in the session's folder."], ["SubAgent", "Hands work to another agent."],
  ["memory_list", "Lists what was noted of the person."], ["memory_write", "Notes something about the person."], ["task_read", "Reads the output of a background task."], ["task_wait", "Waits for background tasks."],
].map(([name, description]) => ({ name, description }))

const shared = [
  { name: "coder", source: "program", description: "Implements one well-described change, with its tests, and proves that it works.", prompt: "You implement one change.", tools: ["*"] },
  { name: "explorer", source: "program", description: "Finds things in code and files fast, and reports where they are. Changes nothing.", prompt: "You explore.", tools: ["Read", "G*", "task_*"], model: "swift" },
  { name: "house-style", source: "installation", description: "Checks texts against the house style.", prompt: "You check texts.", tools: ["Read"] },
]

export class Roles {
  #next = 2
  #off = new Map()
  #own = new Map()

  constructor() {
    const first = { name: "migrator", description: "Writes and tries migrations of the database.", prompt: "You write migrations.", tools: ["Read", "Shell"], model: "", enabled: true }
    const versions = [{ ...first, revision: 1, changed_at: ago(9), changed_by: BY }, { ...first, prompt: "You write migrations.\nEach has a way back, which you try.", model: "balance", revision: 2, changed_at: ago(2), changed_by: BY }]
    this.#own.set(1, versions)
  }

  answer(method, path, body) {
    const [, , , id, verb] = path.split("/").map(decodeURIComponent)
    if (id === undefined) return method === "GET" ? [200, { roles: this.#list(), tools }] : [201, this.#add(body)]
    if (id === "shared") return this.#switch(verb, body.enabled)
    const versions = this.#own.get(Number(id))
    if (!versions) throw new HttpProblem(404, `There is no role ${id}.`)
    const of = Number(id)
    switch (`${method} ${verb ?? ""}`) {
      case "GET ":
        return [200, view(of, versions)]
      case "GET versions":
        return [200, { versions: versions.toReversed() }]
      case "PUT ":
        return [200, this.#change(of, versions, body)]
      case "PATCH ":
        return [200, put(of, versions, { ...versions.at(-1), enabled: body.enabled })]
      case "POST rollback":
        return [200, put(of, versions, versions.find(({ revision }) => revision === body.to))]
      case "DELETE ":
        return [204, void this.#own.delete(of)]
    }
    throw new HttpProblem(404, "There is nothing at this address.")
  }

  /** A role as a Markdown file. */
  file(path) {
    const role = this.#own.get(Number(path.split("/")[3]))?.at(-1)
    if (!role) throw new HttpProblem(404, "There is no such role.")
    return { name: `${role.name}.md`, content: `---\nname: ${role.name}\ndescription: ${role.description}\ntools: [${role.tools.join(", ")}]\n---\n${role.prompt}\n` }
  }

  #list() {
    const own = [...this.#own].map(([id, versions]) => ({ ...view(id, versions), source: "own", replaced: false }))
    const named = new Set(own.filter(({ enabled }) => enabled).map(({ name }) => name.toLowerCase()))
    const others = shared.map((role) => ({
      id: 0, revision: 0, model: "", ...role, enabled: !this.#off.has(role.name), replaced: named.has(role.name), changed_at: this.#off.get(role.name) ?? "0001-01-01T00:00:00Z", changed_by: this.#off.has(role.name) ? BY : "",
    }))
    return [...own, ...others].sort((a, b) => a.name.localeCompare(b.name))
  }

  #free(name, id) {
    for (const [other, versions] of this.#own) {
      if (other !== id && versions.at(-1).name.toLowerCase() === name.toLowerCase()) throw new HttpProblem(409, `You have a role ${name} already.`)
    }
  }

  #add(draft) {
    check(draft)
    this.#free(draft.name, 0)
    const id = this.#next++
    this.#own.set(id, [])
    return put(id, this.#own.get(id), draft)
  }

  #change(id, versions, { revision, ...draft }) {
    check(draft)
    if (revision !== versions.at(-1).revision) throw new HttpProblem(409, "The role was changed meanwhile: read it again.")
    this.#free(draft.name, id)
    return put(id, versions, draft)
  }

  #switch(name, enabled) {
    if (enabled) this.#off.delete(name)
    else this.#off.set(name, now())
    return [204, undefined]
  }
}

function check({ name, description, prompt }) {
  if (!/^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u.test(name)) throw new HttpProblem(400, `The name ${JSON.stringify(name)} is none: use at most 40 letters, digits, - and _.`)
  if (!description) throw new HttpProblem(400, "The description is missing: the model chooses the role by it.")
  if (!prompt) throw new HttpProblem(400, "The instructions are missing.")
}

function put(id, versions, draft) {
  versions.push({ ...draft, revision: (versions.at(-1)?.revision ?? 0) + 1, changed_at: now(), changed_by: BY })
  return view(id, versions)
}

const view = (id, versions) => ({ id, ...versions.at(-1) })

const defaults = {
  system: "You are xbot, an assistant that people reach through chat and that can act on a machine through tools.\n\n- Answer in the language the person writes. Be brief and concrete.\n- Read before you change.",
  channel_web: "The person reads in a web page that renders Markdown.",
  skills: "# Skills\n\nInstructions for particular kinds of work. When one fits, load it with Skill before you begin.",
  agents: "# Agents\n\nRoles for SubAgent.",
  memory: "# Memory\n\nWhat you wrote down in earlier conversations with this person. It may be out of date.",
}

export class Prompts {
  #versions = new Map(Object.keys(defaults).map((section) => [section, []]))

  answer(method, path, query, body) {
    const [, , , section, verb, n] = path.split("/").map(decodeURIComponent)
    if (section === undefined) return [200, { prompts: Object.keys(defaults).map((key) => this.#view(key)) }]
    const versions = this.#versions.get(section)
    if (!versions) throw new HttpProblem(404, `There is no section ${section}.`)
    const found = versions.find(({ version }) => version === Number(n))
    switch (`${method} ${verb ?? ""}${n ? "/*" : ""}`) {
      case "GET ":
        return [200, this.#view(section)]
      case "PUT ":
        return [200, this.#put(section, body)]
      case "DELETE ":
        return [200, this.#put(section, { content: "", version: Number(query.get("version")) })]
      case "GET versions":
        return [200, { versions: versions.toReversed().map((version) => ({ ...version, content: undefined })) }]
      case "GET versions/*":
        return [200, found]
      case "PATCH versions/*":
        return [200, Object.assign(found, body)]
      case "DELETE versions/*":
        versions.splice(versions.indexOf(found), 1)
        return [204, undefined]
      case "POST rollback": {
        const { content, beside, label } = versions.find(({ version }) => version === body.to)
        return [200, this.#put(section, { content, beside, note: label, version: body.version })]
      }
    }
    throw new HttpProblem(404, "There is nothing at this address.")
  }

  #view(section) {
    const { content = "", beside = false, version = 0, changed_at, changed_by } = this.#versions.get(section).at(-1) ?? {}
    return { section, value: content || defaults[section], default: defaults[section], is_custom: content !== "", beside, version, changed_at, changed_by }
  }

  #put(section, { content, beside = false, label, note = "", version }) {
    const versions = this.#versions.get(section)
    const newest = versions.at(-1)?.version ?? 0
    if (version !== newest) throw new HttpProblem(409, "The prompt was changed meanwhile: read it again.")
    if (/\{\{\s*(range|define|template|with)\b/.test(content)) throw new HttpProblem(400, "{{range .Tools}} is not possible here: there are .Agent, .Channel, .User and others, and if, else, end with them.")
    versions.push({ version: newest + 1, content, beside, label: label || `v${newest + 1}`, note, changed_at: now(), changed_by: BY, characters: [...content].length })
    return this.#view(section)
  }
}
