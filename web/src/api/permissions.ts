import { api, unwrap } from "./client"
import type { components } from "./schema"

type Schemas = components["schemas"]

/** What a person set for their tools, and what follows from it. */
export type Permissions = Omit<Schemas["Permissions"], "tools" | "rules"> & { tools: ToolPermission[]; rules: ToolRule[] }
/** What happens when a tool is to be run for this user. */
export type ToolPermission = Schemas["ToolPermission"]
/** A rule for the calls of a tool that its pattern means, or for all of them. */
export type ToolRule = Schemas["ToolRule"]
export type Rule = ToolRule["rule"]
/** What tools may do where no rule says it. */
export type Preset = Permissions["default"]

export const presets: Preset[] = ["read_only", "ask", "auto"]

const whole = (read: Schemas["Permissions"]): Permissions => ({ ...read, tools: read.tools ?? [], rules: read.rules ?? [] })

export const readPermissions = async (): Promise<Permissions> => whole(await unwrap(api.GET("/api/permissions")))

/** Chooses for all conversations; empty follows the installation. */
export const choosePreset = async (preset: Preset | ""): Promise<Permissions> => whole(await unwrap(api.PUT("/api/permissions", { body: { preset } })))

export const setRule = ({ tool, pattern, rule }: ToolRule): Promise<ToolRule> =>
  unwrap(api.PUT("/api/permissions/{tool}", { params: { path: { tool } }, body: { pattern, rule } }))

export const removeRule = ({ tool, pattern }: Pick<ToolRule, "tool" | "pattern">) =>
  unwrap(api.DELETE("/api/permissions/{tool}", { params: { path: { tool }, query: { pattern } } }))

/** What tools may do for people who chose nothing. */
export type InstallationPresets = Schemas["InstallationPresets"]

export const readInstallationPresets = (): Promise<InstallationPresets> => unwrap(api.GET("/api/policy/presets"))

export const setInstallationPresets = (body: InstallationPresets): Promise<InstallationPresets> => unwrap(api.PUT("/api/policy/presets", { body }))
