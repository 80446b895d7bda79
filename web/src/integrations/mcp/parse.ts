import { type Filled, nothing, type Transport, type Value } from "./draft"

type Loose = Record<string, unknown>

const isObject = (value: unknown): value is Loose => typeof value === "object" && value !== null && !Array.isArray(value)

/** The most servers that one text adds. */
const MOST = 32

/**
 * Reads what other programs call the configuration of MCP servers: {"mcpServers": {"name": {…}}} (or "servers"), names and servers without that
 * around them, or one server, which has no name then. Throws a SyntaxError where it is no JSON; empty: no server is in it.
 */
export function parseServers(text: string): Filled[] {
  const read: unknown = JSON.parse(text)
  if (!isObject(read)) return []
  if (isServer(read)) return [filled("", read)]
  const all = [read.mcpServers, read.servers, isObject(read.mcp) ? read.mcp.servers : undefined, read].find(isObject) ?? {}
  return Object.entries(all).flatMap(([name, about]) => (isObject(about) && isServer(about) ? [filled(name, about)] : [])).slice(0, MOST)
}

const isServer = (about: Loose) => typeof about.command === "string" || typeof about.url === "string"

function filled(name: string, about: Loose): Filled {
  return {
    ...nothing,
    name: nameOf(name),
    transport: transportOf(about),
    command: text(about.command),
    args: (Array.isArray(about.args) ? about.args : []).map(text).join("\n"),
    url: text(about.url),
    env: values(about.env),
    headers: values(about.headers),
    instructions: text(about.instructions),
    enabled: about.disabled !== true,
  }
}

function transportOf(about: Loose): Transport {
  if (typeof about.url !== "string") return "stdio"
  return [about.type, about.transport].includes("sse") ? "sse" : "http"
}

const text = (value: unknown) => (typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : "")

const values = (all: unknown): Value[] => (isObject(all) ? Object.entries(all).map(([name, value]) => ({ name, value: text(value) })) : [])

/** The nearest name that a server can have. */
const nameOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-").replaceAll(/^-+|-+$/g, "").slice(0, 32)
