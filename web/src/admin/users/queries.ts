import { queryOptions } from "@tanstack/react-query"

import { listAccounts, listInvites } from "../../api/people"

/** Milliseconds between two looks while somebody is being deleted. */
const LOOK = 2_000

export const accountsQuery = queryOptions({
  queryKey: ["accounts"],
  queryFn: listAccounts,
  refetchInterval: ({ state }) => state.data?.some((account) => account.deleting_since !== undefined) === true && LOOK,
})

export const invitesQuery = queryOptions({ queryKey: ["invites"], queryFn: listInvites })
