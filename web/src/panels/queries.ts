import { queryOptions } from "@tanstack/react-query"

import { listPanels } from "../api/panels"

export const panelsQuery = queryOptions({ queryKey: ["panels"], queryFn: listPanels, staleTime: 0 })
