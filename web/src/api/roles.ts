// The calls about roles of subagents: those of the program and the installation, and a person's own.
import { api, unwrap } from "./client"
import type { components } from "./schema"

type Schemas = components["schemas"]

export type Role = Omit<Schemas["ListedRole"], "tools"> & { tools: string[] }
export type PoolTool = Schemas["PoolTool"]
export type RoleVersion = Omit<Schemas["OwnRoleVersion"], "tools"> & { tools: string[] }
/** What a role is to be. */
export type RoleDraft = Omit<Schemas["RoleDefinition"], "tools"> & { tools: string[] }

const at = (id: number) => ({ params: { path: { id } } })

/** Roles by name, and the tools that a role can have. */
export async function listRoles(): Promise<{ roles: Role[]; tools: PoolTool[] }> {
  const { roles, tools } = await unwrap(api.GET("/api/roles"))
  return { roles: (roles ?? []).map((role) => ({ ...role, tools: role.tools ?? [] })), tools: tools ?? [] }
}

/** Makes a role, or changes the version of the one of an id. A conflict: it was changed meanwhile, or its name is taken. */
export const saveRole = (of: { id: number; revision: number } | undefined, draft: RoleDraft) =>
  of ? unwrap(api.PUT("/api/roles/{id}", { ...at(of.id), body: { ...draft, revision: of.revision } })) : unwrap(api.POST("/api/roles", { body: draft }))

/** Switches a role on or off for the person: one of their own, or by its name. */
export const enableRole = ({ id, name }: Pick<Role, "id" | "name">, enabled: boolean): Promise<unknown> =>
  id > 0 ? unwrap(api.PATCH("/api/roles/{id}", { ...at(id), body: { enabled } })) : unwrap(api.PUT("/api/roles/shared/{name}", { params: { path: { name } }, body: { enabled } }))

export const deleteRole = (id: number) => unwrap(api.DELETE("/api/roles/{id}", at(id)))

export async function listRoleVersions(id: number): Promise<RoleVersion[]> {
  const { versions } = await unwrap(api.GET("/api/roles/{id}/versions", at(id)))
  return (versions ?? []).map((version) => ({ ...version, tools: version.tools ?? [] }))
}

/** Puts an earlier version in force again. */
export const rollRoleBack = (id: number, to: number, revision: number) => unwrap(api.POST("/api/roles/{id}/rollback", { ...at(id), body: { to, revision } }))

/** The address of a role as a Markdown file. */
export const roleFile = (id: number): string => `/api/roles/${id}/file`
