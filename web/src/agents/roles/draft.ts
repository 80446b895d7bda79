import type { PoolTool, Role, RoleDraft } from "../../api/roles"

/** As the only tool: all those of whoever hands over the work. */
export const ALL_TOOLS = "*"

export const noRole: RoleDraft = { name: "", description: "", prompt: "", tools: [], model: "", enabled: true }

/** What is edited of a role. One that is copied names the tools of the pool that it has: files may write patterns. */
export function draftOf({ name, description, prompt, tools, model, enabled }: Role, pool: PoolTool[]): RoleDraft {
  const named = tools.length === 1 && tools[0] === ALL_TOOLS ? tools : pool.map((tool) => tool.name).filter((tool) => tools.some((pattern) => matches(pattern, tool)))
  return { name, description, prompt, tools: named, model: model ?? "", enabled }
}

/** Whether a pattern, in which * stands for any characters, means a tool. */
export function matches(pattern: string, tool: string): boolean {
  const parts = pattern.toLowerCase().split("*")
  const name = tool.toLowerCase()
  const first = parts[0] ?? ""
  const last = parts.at(-1) ?? ""
  if (parts.length === 1) return name === first
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false
  let from = first.length
  for (const part of parts.slice(1, -1)) {
    const at = name.indexOf(part, from)
    if (at < 0 || at + part.length > name.length - last.length) return false
    from = at + part.length
  }
  return true
}

/** A role as lines, to be compared with another one. */
export const linesOf = ({ name, description, prompt, tools, model, enabled }: RoleDraft): string =>
  [`name: ${name}`, `description: ${description}`, `model: ${model ?? ""}`, `enabled: ${enabled}`, ...tools.toSorted().map((tool) => `tool: ${tool}`), "", prompt].join("\n")
