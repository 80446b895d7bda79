import { queryOptions } from "@tanstack/react-query"

import { listAccounts, listInvites } from "../api/people"

export const accountsQuery = queryOptions({ queryKey: ["accounts"], queryFn: listAccounts })

export const invitesQuery = queryOptions({ queryKey: ["invites"], queryFn: listInvites })
