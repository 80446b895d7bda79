// The calls about panels of plugins.
import { api, unwrap } from "./client"
import type { components } from "./schema"

export type Panel = components["schemas"]["Panel"]

export const listPanels = async (): Promise<Panel[]> => (await unwrap(api.GET("/api/panels"))).panels ?? []

const at = (plugin: string, widget: string) => ({ path: { plugin, widget } })

/** Where the document of a panel is, for some hours. */
export const openPanel = async (plugin: string, widget: string): Promise<string> =>
  (await unwrap(api.POST("/api/plugins/{plugin}/widgets/{widget}/open", { params: at(plugin, widget) }))).url

/** Asks the plugin of a panel. */
export const askPanel = async (plugin: string, widget: string, params: unknown, language: "en" | "zh"): Promise<unknown> =>
  (await unwrap(api.POST("/api/plugins/{plugin}/widgets/{widget}", { params: at(plugin, widget), body: { params, language } }))).result
