// The calls about the keys of services that tools use.
import { api, unwrap } from "./client"
import type { components } from "./schema"

type Schemas = components["schemas"]

/** How a service is reached, without its key. */
export type ToolKey = Schemas["ToolKey"]
export type ToolKeyDraft = Schemas["ToolKeyDraft"]
/** A service, and where what is used for the person comes from. */
export type ToolService = Schemas["ToolService"]
export type ServiceName = "tavily" | "cloudsway" | "searxng" | "image" | "speech" | "video" | "transcription" | "realtime"
/** What one request has shown. */
export type KeyTried = Schemas["ToolKeyTried"]

/** A person's own; administrators see those of the installation, too. */
export async function listToolKeys(): Promise<{ keys: ToolKey[]; services: ToolService[] }> {
  const { keys, services } = await unwrap(api.GET("/api/keys"))
  return { keys: keys ?? [], services: services ?? [] }
}

/** A conflict: it was changed meanwhile. */
export const saveToolKey = (service: ServiceName, body: ToolKeyDraft): Promise<ToolKey> => unwrap(api.PUT("/api/keys/{service}", { params: { path: { service } }, body }))

export const deleteToolKey = (service: ServiceName, shared: boolean) => unwrap(api.DELETE("/api/keys/{service}", { params: { path: { service }, query: { shared } } }))

/** Makes one request that costs nothing, where the service has one. Half a minute at most. */
export const tryToolKey = (service: ServiceName, body: ToolKeyDraft): Promise<KeyTried> => unwrap(api.POST("/api/keys/{service}/try", { params: { path: { service } }, body }))
