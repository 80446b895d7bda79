import { queryOptions, useQuery } from "@tanstack/react-query"

import { listModels } from "../api/models"
import { listAgents } from "../api/routing"

export const modelsQuery = queryOptions({ queryKey: ["models"], queryFn: listModels, staleTime: 5 * 60_000, retry: false })

export const agentsQuery = queryOptions({ queryKey: ["agents"], queryFn: listAgents, staleTime: 5 * 60_000, retry: false })

/** The model that an agent's conversations are answered by, where the agent has one of its own. */
export function useAgentModel(id: string | undefined): string | undefined {
  const { data } = useQuery(agentsQuery)
  return data?.find((agent) => (id === undefined ? agent.default : agent.id === id))?.model
}
