import type { McpDraft, McpServer } from "../../api/mcp"

export type Transport = "stdio" | "http" | "sse"

/** A variable or a header. */
export interface Value {
  name: string
  value: string
  /** The server keeps a value of it, which an empty one leaves as it is. */
  stored?: boolean
}

/** A server as it is filled in. */
export interface Filled {
  name: string
  shared: boolean
  transport: Transport
  command: string
  args: string
  url: string
  env: Value[]
  headers: Value[]
  /** Id of the OAuth provider whose connected account authorizes requests; empty: none. */
  account: string
  instructions: string
  /** Whether tool annotations are trusted; for servers of the installation only. */
  trusted: boolean
  enabled: boolean
  revision: number
}

export const nothing: Filled = {
  name: "", shared: false, transport: "http", command: "", args: "", url: "", env: [], headers: [], account: "", instructions: "", trusted: false, enabled: true, revision: 0,
}

/** The id of a provider that an MCP server has named, and that is for it alone. */
export const ofServer = /^mcp-\d+$/

const stored = (names: string[] | null): Value[] => (names ?? []).map((name) => ({ name, value: "", stored: true }))

/** One that is there, without its values: nobody is shown them. */
export const filledFrom = (s: McpServer): Filled => ({
  name: s.name, shared: s.shared, transport: s.transport, command: s.command ?? "", args: (s.args ?? []).join("\n"), url: s.url ?? "",
  env: stored(s.env_names), headers: stored(s.header_names), account: s.account ?? "", instructions: s.instructions ?? "", trusted: s.trusted ?? false, enabled: s.enabled, revision: s.revision,
})

const byName = (values: Value[]) => Object.fromEntries(values.filter(({ name }) => name.trim() !== "").map(({ name, value }) => [name.trim(), value]))

/** What the server is told: a command has no address, and an address no command. */
export function draftOf({ transport, command, args, url, env, headers, account, instructions, trusted, shared, enabled, revision }: Filled): McpDraft {
  const about = { shared, transport, instructions, trusted: shared && trusted, enabled, revision }
  if (transport !== "stdio") return { ...about, url: url.trim(), headers: byName(headers), account: shared ? account : "" }
  return { ...about, command: command.trim(), args: args.split("\n").filter((line) => line !== ""), env: byName(env) }
}

/** Whether a server has the shape of a name that it can have. */
export const fits = (name: string) => /^[a-z0-9-]{1,32}$/.test(name)
