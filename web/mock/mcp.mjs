// MCP servers in the mock. None is asked: one with "nowhere" in its address or command does not answer, one with "guarded" wants an account until its provider
// is named, others list two tools.
import { HttpProblem } from "./http.mjs"

export class McpServers {
  #next = 1

  /** `connections`: what is known of providers and accounts. */
  constructor(connections) {
    this.connections = connections
  }

  #list = []

  /** Status and body of a request. */
  answer(method, url, body) {
    if (url.pathname === "/api/mcp-servers") return [200, { servers: this.#list }]
    const [, , , name, verb] = url.pathname.split("/")
    const shared = method === "PUT" ? (body.shared ?? false) : url.searchParams.get("shared") === "true"
    const stands = this.#list.find((server) => server.name === name && server.shared === shared)
    if (method === "PUT") return [200, this.#set(name, shared, stands, body)]
    if (!stands) throw new HttpProblem(404, `there is no MCP server "${name}"`)
    if (verb === "tools") return [200, { tools: toolsOf(stands) }]
    if (verb === "refresh") return [200, asked(stands)]
    if (verb === "account") {
      Object.assign(stands, { account: `mcp-${stands.id}`, wants_account: undefined, problem: undefined, revision: stands.revision + 1 })
      this.connections.names(stands)
      return [200, stands]
    }
    this.#list = this.#list.filter((server) => server !== stands)
    this.connections.forgets(stands)
    return [204]
  }

  #set(name, shared, stands, { env = {}, headers = {}, transport, command, args, url, instructions, trusted, enabled, revision = 0 }) {
    if (!command && !url) throw new HttpProblem(400, "the server has neither a command nor a url: give one of them")
    if (revision !== (stands?.revision ?? 0)) throw new HttpProblem(409, "the MCP server was made, changed or removed meanwhile: read it again")
    const now = new Date().toISOString()
    const server = {
      tools: 0, prompts: 0, resources: 0, created_at: now, ...stands, id: stands?.id ?? this.#next++, name, shared, transport: transport ?? (url ? "http" : "stdio"), command, args, url, instructions, trusted, enabled,
      env_names: Object.keys(env), header_names: Object.keys(headers), revision: revision + 1, changed_at: now, changed_by: "admin",
    }
    this.#list = [...this.#list.filter((known) => known !== stands), server]
    return enabled ? asked(server) : { server, tools: toolsOf(server) }
  }
}

/**
 * Folders with hooks, servers or skills: one that waits for agreement. A removed folder is listed again at the next load, as if a conversation had
 * worked there.
 */
export class McpProjects {
  #list = [project()]

  /** Status and body of a request. */
  answer(method, url, body) {
    const [, , , id, verb] = url.pathname.split("/")
    if (!id) return [200, { projects: this.#list }]
    const stands = this.#list.find((known) => known.id === Number(id))
    if (!stands) throw new HttpProblem(404, "there is no such folder")
    if (method === "DELETE") {
      this.#list = [project()]
      return [204]
    }
    if (verb !== "agree") throw new HttpProblem(405, "a project is agreed to, or withdrawn from")
    if (body.digest !== stands.digest) throw new HttpProblem(409, "the file .mcp.json has changed meanwhile: look at it again")
    Object.assign(stands, { state: "agreed", agreed_at: new Date().toISOString() })
    for (const server of stands.servers) if (!server.problem) server.tools = 2
    return [200, stands]
  }
}

const project = () => ({
  id: 1, runner: "server", folder: "/home/lena/fruit shop", digest: "5e".repeat(32), state: "asks", may_agree: true, seen_at: new Date().toISOString(),
  servers: [
    { name: "stall", transport: "stdio", command: "node", args: ["stall.js", "--say", "two words; \u202eno more"], env: { NODE_OPTIONS: "--require ./first.js" }, tools: 0 },
    { name: "prices", transport: "http", url: "https://prices.example/mcp", headers: ["Authorization"], tools: 0 },
    { name: "keys", transport: "http", url: "https://keys.example/${HOME}", tools: 0, problem: "it wants ${HOME}, and nothing of an environment is filled in" },
  ],
  hooks: [{ event: "PreToolUse", kind: "command", command: "./.xbot/check.sh" }],
  skills: ["/home/lena/fruit shop/.agents/skills/prices"],
  notes: ["/home/lena/fruit shop/AGENTS.md"],
})

function asked(server) {
  delete server.problem
  delete server.wants_account
  if (`${server.url}`.includes("guarded") && !server.account) {
    Object.assign(server, { problem: `the MCP server ${server.name} cannot be used: it wants an account`, wants_account: true })
    return { server, tools: [], problem: server.problem }
  }
  if (`${server.url} ${server.command}`.includes("nowhere")) server.problem = `the MCP server ${server.name} cannot be used: nobody answers there`
  else Object.assign(server, { tools: 2, listed_at: new Date().toISOString() })
  return { server, tools: toolsOf(server), problem: server.problem }
}

const toolsOf = ({ name, listed_at }) =>
  listed_at
    ? [
        { name: `mcp_${name}_look_up`, description: "Looks up what a fruit costs.", class: "read", read_only: true },
        { name: `mcp_${name}_order`, description: "Orders a fruit.", class: "once", read_only: false },
      ]
    : []
