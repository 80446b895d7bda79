// The calls about servers of tools that speak the Model Context Protocol.
import { api, unwrap } from "./client"
import type { components } from "./schema"

type Schemas = components["schemas"]

/** One as people may see it: without the values of variables and headers. */
export type McpServer = Schemas["MCPServer"]
export type McpDraft = Schemas["MCPServerDraft"]
export type McpTool = Schemas["MCPServerTool"]
/** A server after it was asked what it offers, and why it could not be. */
export type McpState = Schemas["MCPServerState"]
/** A folder in which a conversation of the user has worked, with its hooks, servers and skills. */
export type McpProject = Schemas["MCPProject"]
export type McpProjectServer = Schemas["MCPProjectServer"]

const at = (name: string, shared: boolean) => ({ params: { path: { name }, query: { shared } } })

/** Those of the installation and, behind them, the person's own. */
export async function listMcpServers(): Promise<McpServer[]> {
  const { servers } = await unwrap(api.GET("/api/mcp-servers"))
  return servers ?? []
}

/** Stores one and asks it what it offers: 20 seconds at most. A conflict: it was changed meanwhile. */
export const saveMcpServer = (name: string, body: McpDraft): Promise<McpState> => unwrap(api.PUT("/api/mcp-servers/{name}", { params: { path: { name } }, body }))

export const deleteMcpServer = (name: string, shared: boolean) => unwrap(api.DELETE("/api/mcp-servers/{name}", at(name, shared)))

/** Asks one what it offers: 20 seconds at most. */
export const refreshMcpServer = (name: string, shared: boolean): Promise<McpState> => unwrap(api.POST("/api/mcp-servers/{name}/refresh", at(name, shared)))

/** Asks one at which provider it wants an account, for 30 seconds at most, and has one there authorize requests to it. The answer is the provider's id. */
export async function nameMcpAccount(name: string, shared: boolean): Promise<string> {
  const { account } = await unwrap(api.POST("/api/mcp-servers/{name}/account", at(name, shared)))
  return account ?? ""
}

/** What one listed last. */
export async function listMcpTools(name: string, shared: boolean): Promise<McpTool[]> {
  const { tools } = await unwrap(api.GET("/api/mcp-servers/{name}/tools", at(name, shared)))
  return tools ?? []
}

export async function listMcpProjects(): Promise<McpProject[]> {
  const { projects } = await unwrap(api.GET("/api/mcp-projects"))
  return projects ?? []
}

/** Agrees to the file of that digest, and has its servers asked: 20 seconds at most. A conflict: it is another one by now. */
export const agreeToMcpProject = (id: number, digest: string): Promise<McpProject> => unwrap(api.POST("/api/mcp-projects/{id}/agree", { params: { path: { id } }, body: { digest } }))

/** Takes the word back. The folder is in the list again once a conversation works there. */
export const withdrawMcpProject = (id: number) => unwrap(api.DELETE("/api/mcp-projects/{id}", { params: { path: { id } } }))
