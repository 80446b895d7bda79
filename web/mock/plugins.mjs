// Plugins of the installation. Every archive holds the same one.
import { HttpProblem, readBody } from "./http.mjs"

const about = {
  id: "looker", name: "Looker", version: "1.0.0", description: "Looks at things.", digest: "0".repeat(64),
  permissions: [{ name: "network", means: "opens connections" }, { name: "hooks", means: "sees what people write" }, { name: "channel", means: "is a platform" }],
  program: ["./look"], tools: [{ name: "plugin_looker_look", description: "Looks.", class: "read" }], commands: ["/look"],
  hooks: [{ event: "PreToolUse", if: "Shell(look *)", on_error: "deny" }], enrichers: [], channels: ["looker"], widgets: [],
}
const settings = [
  { name: "token", type: "secret", title: { en: "Token", zh: "令牌" }, required: true, set: false },
  { name: "limit", type: "number", title: { en: "Limit", zh: "上限" }, value: 3, set: false },
]

export class Plugins {
  #plugins = []

  /** Status and body of a request. */
  async answer(request, url) {
    const [, , , id, verb] = url.pathname.split("/")
    if (request.method === "POST" && (!id || id === "check")) {
      for await (const _ of request) void _ // an archive
      return [200, id ? about : this.#install(url.searchParams.getAll("permissions"), url.searchParams.getAll("read_only"))]
    }
    if (!id) return [200, { plugins: this.#plugins }]
    const plugin = this.#plugins.find((known) => known.id === id)
    if (!plugin) throw new HttpProblem(404, `there is no plugin ${id}`)
    if (request.method === "DELETE") {
      this.#plugins = this.#plugins.filter((other) => other !== plugin)
      return [204]
    }
    plugin.revision++
    if (verb === "reload") return [200, plugin]
    const { enabled, settings: given = {} } = await readBody(request)
    plugin.enabled = enabled ?? plugin.enabled
    plugin.settings = plugin.settings.map((s) => (s.name in given ? { ...s, set: true, ...(s.type === "secret" ? {} : { value: given[s.name] }) } : s))
    plugin.missing = plugin.settings.filter((s) => s.required && !s.set).map((s) => s.name)
    return [200, plugin]
  }

  #install(permissions, readOnly) {
    if (!about.permissions.every(({ name }) => permissions.includes(name))) throw new HttpProblem(403, "a permission was not given")
    const now = new Date().toISOString()
    const tools = about.tools.map((t) => (readOnly.includes(t.name) ? t : { ...t, class: "idempotent" }))
    this.#plugins = [{ ...about, tools, enabled: true, settings, missing: ["token"], failure: "its process ended with exit code 1; it wrote: no token", failure_at: now, revision: 1, installed_at: now, changed_at: now, changed_by: "admin" }]
    return this.#plugins[0]
  }
}
