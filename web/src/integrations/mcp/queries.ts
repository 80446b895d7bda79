import { queryOptions } from "@tanstack/react-query"

import { listMcpProjects, listMcpServers, listMcpTools } from "../../api/mcp"

/** Milliseconds between two looks, while somebody looks: conversations change them, too. */
const LOOK = 5_000

export const mcpQuery = queryOptions({ queryKey: ["mcp"], queryFn: listMcpServers, refetchInterval: LOOK })

/** Never read again by itself: another file must not take the place of the one that somebody is reading, right before they agree. */
export const mcpProjectsQuery = queryOptions({ queryKey: ["mcp-projects"], queryFn: listMcpProjects, refetchOnWindowFocus: false, refetchOnReconnect: false })

/** `listed`: when it was listed last; then the list is another one. */
export const mcpToolsQuery = (name: string, shared: boolean, listed: string) =>
  queryOptions({ queryKey: ["mcp", name, shared, listed], queryFn: () => listMcpTools(name, shared) })
