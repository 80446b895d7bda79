// The calls of administrators about the plugins of the installation.
import { api, unwrap } from "./client"
import type { components } from "./schema"

type Schemas = components["schemas"]

export type Plugin = Schemas["Plugin"]
export type PluginSetting = Schemas["PluginSetting"]
/** What an archive holds that is not installed yet. */
export type PluginDraft = Schemas["PluginDraft"]
export type PluginChange = Schemas["PluginChange"]

export const listPlugins = async (): Promise<Plugin[]> => (await unwrap(api.GET("/api/plugins"))).plugins ?? []

const packed = (archive: Blob) => ({ body: "", bodySerializer: () => archive, headers: { "Content-Type": "application/octet-stream" } })

/** Reads an archive; nothing is installed. */
export const checkPlugin = (archive: Blob): Promise<PluginDraft> => unwrap(api.POST("/api/plugins/check", packed(archive)))

/** Installs what was read, with the permissions and the tools that change nothing as they were shown. */
export const installPlugin = (archive: Blob, { digest, permissions, tools }: PluginDraft): Promise<Plugin> =>
  unwrap(
    api.POST("/api/plugins", {
      params: { query: { digest, permissions: permissions?.map(({ name }) => name), read_only: tools?.flatMap((t) => (t.class === "read" ? [t.name] : [])) } },
      ...packed(archive),
    }),
  )

const at = (plugin: string) => ({ path: { plugin } })

export const changePlugin = (plugin: string, body: PluginChange): Promise<Plugin> => unwrap(api.PATCH("/api/plugins/{plugin}", { params: at(plugin), body }))

export const reloadPlugin = (plugin: string): Promise<Plugin> => unwrap(api.POST("/api/plugins/{plugin}/reload", { params: at(plugin) }))

export const removePlugin = (plugin: string) => unwrap(api.DELETE("/api/plugins/{plugin}", { params: at(plugin) }))
