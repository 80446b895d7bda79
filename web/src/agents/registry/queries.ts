import { keepPreviousData, queryOptions } from "@tanstack/react-query"

import { getEntry, listEntries, listInstalls } from "../../api/registry"

/** What all queries of the registry begin with: a change of one of them may change the others. */
export const registryKey = ["registry"]

export const installsQuery = queryOptions({ queryKey: [...registryKey, "installs"], queryFn: listInstalls })

export const entriesQuery = (words: string, own: boolean) =>
  queryOptions({ queryKey: [...registryKey, "entries", words, own], queryFn: () => listEntries(words, own), placeholderData: keepPreviousData })

export const entryQuery = (id: number, version: number) => queryOptions({ queryKey: [...registryKey, "entry", id, version], queryFn: () => getEntry(id, version) })
