import { queryOptions } from "@tanstack/react-query"

import { listFires, listTriggers } from "../../api/triggers"

/** Milliseconds between two looks, while somebody looks. */
const LOOK = 2_000

export const triggersQuery = queryOptions({ queryKey: ["triggers"], queryFn: listTriggers, refetchInterval: LOOK })

export const firesQuery = (id: string) => queryOptions({ queryKey: ["triggers", id, "fires"], queryFn: () => listFires(id), refetchInterval: LOOK })
