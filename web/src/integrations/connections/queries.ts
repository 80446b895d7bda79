import { queryOptions } from "@tanstack/react-query"

import { listAccounts, listOAuthProviders } from "../../api/connections"

/** Milliseconds between two looks, while somebody looks: accounts are connected in another tab. */
const LOOK = 3_000

export const accountsQuery = queryOptions({ queryKey: ["connections"], queryFn: listAccounts, refetchInterval: LOOK })

export const providersQuery = queryOptions({ queryKey: ["connections", "providers"], queryFn: listOAuthProviders })
