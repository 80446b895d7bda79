import { queryOptions } from "@tanstack/react-query"

import { readPermissions } from "../api/permissions"

export const permissionsQuery = queryOptions({ queryKey: ["permissions"], queryFn: readPermissions })
