import { queryOptions, useQueryClient } from "@tanstack/react-query"

import { listToolKeys } from "../api/keys"
import { listSubscriptions, readModelChoice } from "../api/models"
import { meQuery } from "../account/queries"
import { modelsQuery } from "../api/queries"

export const subscriptionsQuery = queryOptions({ queryKey: ["subscriptions"], queryFn: listSubscriptions, retry: false })

export const choiceQuery = queryOptions({ queryKey: ["model choice"], queryFn: readModelChoice, retry: false })

export const keysQuery = queryOptions({ queryKey: ["tool keys"], queryFn: listToolKeys, retry: false })

/** Reads everything again that says who answers; done when the page knows. */
export function useRefresh(): () => Promise<unknown> {
  const client = useQueryClient()
  return () => Promise.all([subscriptionsQuery, choiceQuery, modelsQuery, meQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey })))
}
