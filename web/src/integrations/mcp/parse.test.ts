import { describe, expect, it } from "vitest"

import { draftOf, filledFrom } from "./draft"
import { parseServers } from "./parse"

describe("parseServers", () => {
  it("reads the file of other programs", () => {
    const all = parseServers(`{"mcpServers": {
      "GitHub Tools": {"command": "npx", "args": ["-y", "server", 3], "env": {"TOKEN": "x"}, "disabled": true},
      "remote": {"type": "sse", "url": "https://a.example/sse", "headers": {"Authorization": "Bearer y"}},
      "neither": {"note": "nothing"}
    }}`)
    expect(all.map(({ name, transport, enabled }) => [name, transport, enabled])).toEqual([["github-tools", "stdio", false], ["remote", "sse", true]])
    expect(all[0]).toMatchObject({ command: "npx", args: "-y\nserver\n3", env: [{ name: "TOKEN", value: "x" }] })
    expect(all[1]?.headers).toEqual([{ name: "Authorization", value: "Bearer y" }])
  })

  it("reads servers by name, and one server without a name", () => {
    expect(parseServers(`{"servers": {"a": {"url": "https://a.example"}}}`)[0]).toMatchObject({ name: "a", transport: "http" })
    expect(parseServers(`{"b": {"command": "uvx"}}`)[0]?.name).toBe("b")
    expect(parseServers(`{"command": "uvx", "args": ["x"]}`)).toHaveLength(1)
  })

  it.each(["[]", "null", "3", "{}", `{"mcpServers": []}`, `{"mcpServers": {"a": null}}`, `{"mcpServers": {"a": {"command": 3}}}`, `{"command": null}`])("finds none in %s", (text) => {
    expect(parseServers(text)).toEqual([])
  })

  it("refuses what is no JSON", () => {
    expect(() => parseServers("npx -y server")).toThrow(SyntaxError)
  })

  it("takes 32 servers at most, and names that fit", () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${"x".repeat(40)} ${i}`, { command: "x" }]))
    const all = parseServers(JSON.stringify({ mcpServers: many }))
    expect(all).toHaveLength(32)
    expect(all[0]?.name).toBe("x".repeat(32))
  })
})

describe("draftOf", () => {
  const server = {
    name: "a", shared: true, transport: "stdio" as const, command: "npx", args: ["-y", "s"], env_names: ["TOKEN"], header_names: null, enabled: true, revision: 3,
    id: 1, created_at: "", changed_at: "", changed_by: "", tools: 0, prompts: 0, resources: 0,
  }

  it("leaves stored values as they are", () => {
    expect(draftOf(filledFrom(server))).toEqual({ shared: true, transport: "stdio", instructions: "", trusted: false, enabled: true, revision: 3, command: "npx", args: ["-y", "s"], env: { TOKEN: "" } })
  })

  it("sends nothing of a command for an address", () => {
    expect(draftOf({ ...filledFrom(server), transport: "http", url: " https://a.example ", headers: [{ name: " A ", value: "b" }, { name: "", value: "lost" }] })).toEqual({
      shared: true, transport: "http", account: "", instructions: "", trusted: false, enabled: true, revision: 3, url: "https://a.example", headers: { A: "b" },
    })
  })
})
