import { queryOptions } from "@tanstack/react-query"

import { listServiceKeys, listServices } from "../api/services"

/** Milliseconds between two looks, while somebody looks: consumers use them meanwhile. */
const LOOK = 10_000

export const servicesQuery = queryOptions({ queryKey: ["services"], queryFn: listServices, refetchInterval: LOOK })

export const serviceKeysQuery = (id: string) => queryOptions({ queryKey: ["services", id, "keys"], queryFn: () => listServiceKeys(id), refetchInterval: LOOK })

export const conversationsKey = (id: string) => ["services", id, "conversations"]
