import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"

import type { Account } from "../../api/people"
import { toast } from "../../ui/toasts"
import { othersKey } from "./other-conversations"
import { accountsQuery } from "./queries"

/** Tells of each deletion that has come to its end, which the list shows by what is missing alone. `words` say whose it was. */
export function useDeletionEnds(accounts: Account[] | undefined, words: (name: string) => string): void {
  const client = useQueryClient()
  const going = useRef<Account[]>([])
  useEffect(() => {
    if (!accounts) return
    const ended = going.current.filter(({ id }) => !accounts.some((account) => account.id === id))
    going.current = accounts.filter(({ deleting_since }) => deleting_since !== undefined)
    if (ended.length === 0) return
    for (const { name } of ended) toast(words(name))
    void client.invalidateQueries({ queryKey: othersKey })
  }, [accounts, client, words])
}

/** Marks somebody as being deleted before the server says so: a deletion may be over by then, and its end is told of those that were seen. */
export function useMarkDeleted(): (id: number) => Promise<void> {
  const client = useQueryClient()
  return async (id) => {
    client.setQueryData(accountsQuery.queryKey, (before) =>
      before?.map((account) => (account.id === id ? { ...account, deleting_since: new Date().toISOString(), had: account.conversations } : account)),
    )
    await client.invalidateQueries(accountsQuery)
  }
}
