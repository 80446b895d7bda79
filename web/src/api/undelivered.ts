// What an administrator sees of messages that did not arrive on a platform.
import { queryOptions } from "@tanstack/react-query"

import { api, unwrap } from "./client"
import type { components } from "./schema"

export type Undelivered = components["schemas"]["Undelivered"]

/** How many are listed, the newest ones. */
const LIMIT = 50

/** Milliseconds between two looks, while somebody looks. */
const LOOK = 30_000

const listUndelivered = async (): Promise<Undelivered[]> => (await unwrap(api.GET("/api/inspect/inbox", { params: { query: { limit: LIMIT } } }))).undelivered ?? []

export const undeliveredQuery = queryOptions({ queryKey: ["undelivered"], queryFn: listUndelivered, refetchInterval: LOOK })
