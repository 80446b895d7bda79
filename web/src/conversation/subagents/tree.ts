import type { Subagent } from "../../api/subagents"

/** A subagent with those that work for it. */
export interface Node {
  agent: Subagent
  below: Node[]
}

export const nameOf = (agent: Subagent): string => (agent.instance ? `${agent.role}:${agent.instance}` : agent.role)

export const isBusy = (agent: Subagent): boolean => agent.state === "running" || agent.state === "queued"

/** The subagents as a tree; of each level the oldest first. Those whose parent is not among them stand at the top. */
export function treeOf(agents: Subagent[]): Node[] {
  const nodes = new Map<string, Node>(agents.map((agent) => [agent.session, { agent, below: [] }]))
  const top: Node[] = []
  for (const node of [...nodes.values()].reverse()) {
    const above = nodes.get(node.agent.parent)
    if (above) above.below.push(node)
    else top.push(node)
  }
  return top
}
