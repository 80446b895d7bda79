import { queryOptions } from "@tanstack/react-query"

import { listRoles, listRoleVersions } from "../../api/roles"

export const rolesQuery = queryOptions({ queryKey: ["roles"], queryFn: listRoles })

export const roleVersionsQuery = (id: number, revision: number) => queryOptions({ queryKey: ["roles", id, "versions", revision], queryFn: () => listRoleVersions(id) })
