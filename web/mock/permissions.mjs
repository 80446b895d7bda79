// What the mock's one user lets tools do. Commands are compared by their first words only: the server reads them.
import { HttpProblem } from "./http.mjs"

const tools = [
  { name: "Shell", class: "exec", acts: true, pattern: "command", summary: "Runs a shell command." },
  { name: "Read", class: "read", acts: false, pattern: "path", summary: "Reads a file." },
  { name: "FileCreate", class: "idempotent", acts: true, pattern: "path", summary: "Creates a file." },
  { name: "FileReplace", class: "idempotent", acts: true, pattern: "path", summary: "Replaces text in a file." },
  { name: "Grep", class: "read", acts: false, summary: "Searches in files." },
  { name: "DownloadFile", class: "idempotent", acts: true, pattern: "host", summary: "Downloads a file." },
  { name: "todo_write", class: "idempotent", acts: false, summary: "Writes the to-do list." },
]

/** The rules and the preset. */
export class Permissions {
  #preset = ""
  #rules = []
  /** Of the installation. */
  #presets = { administrators: "auto", others: "ask", version: 0 }

  get presets() {
    return this.#presets
  }

  set presets({ administrators, others, version }) {
    if (version !== this.#presets.version) throw new HttpProblem(409, "The policy was changed meanwhile.")
    this.#presets = { administrators, others, chosen: true, version: version + 1 }
  }

  /** Brings those of the installation back to what a fresh server does. */
  unchoose() {
    this.#presets = { administrators: "auto", others: "ask", version: this.#presets.version + 1 }
  }

  view() {
    const rules = this.#rules.filter(({ pattern }) => pattern)
    return { preset: this.#preset || undefined, default: this.#presets.administrators, rules, tools: tools.map((tool) => ({ ...tool, rule: this.#wide(tool, this.#preset), own: this.#own(tool.name) !== undefined })) }
  }

  choose({ preset }) {
    this.#preset = preset
    return this.view()
  }

  set(name, { rule, pattern = "" }) {
    if (!tools.some((tool) => tool.name === name)) throw new HttpProblem(404, `There is no tool named ${name}.`)
    if (/[;&|<>$]/.test(pattern)) throw new HttpProblem(400, `"${pattern}" must be the beginning of one command, such as git status or npm run test, without variables, redirections and signs like * and ;`)
    this.remove(name, pattern)
    const set = { tool: name, pattern: pattern || undefined, rule }
    this.#rules.push(set)
    return set
  }

  remove(name, pattern) {
    this.#rules = this.#rules.filter((rule) => rule.tool !== name || (rule.pattern ?? "") !== pattern)
  }

  /** What happens with a call in a conversation that may have a preset of its own. */
  ruleOf({ name, summary = "" }, here) {
    const tool = tools.find((candidate) => candidate.name === name)
    if (!tool) return "allow"
    if ((here || this.#preset) === "read_only" && tool.acts) return "deny"
    const means = this.#rules.filter(({ tool, pattern }) => tool === name && pattern && `${summary} `.startsWith(`${pattern} `)).map(({ rule }) => rule)
    return ["deny", "ask", "allow"].find((rule) => means.includes(rule)) ?? this.#wide(tool, here || this.#preset)
  }

  /** The rules that would let such a call run. */
  alwaysOf({ name, summary = "" }) {
    if (name !== "Shell") return [{ tool: name, rule: "allow" }]
    return /[<>$]/.test(summary) ? [] : [...new Set(summary.split(/&&|;/).map((part) => part.trim().split(" ")[0]))].map((pattern) => ({ tool: name, pattern, rule: "allow" }))
  }

  #own(name) {
    return this.#rules.find(({ tool, pattern }) => tool === name && !pattern)?.rule
  }

  #wide({ name, acts }, preset) {
    if (preset === "read_only" && acts) return "deny"
    return this.#own(name) ?? (preset === "ask" && acts ? "ask" : "allow")
  }
}
