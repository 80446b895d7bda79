import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query"

import { listRunners, listSessions, listTokens, loginInfo, type Shelf } from "./calls"
import { listModels } from "./models"
import { reread } from "./query-client"
import { listAgents } from "./routing"

// What more than one feature reads.

/** Milliseconds between two looks at the list of sessions: while something runs, and else. */
const BUSY_INTERVAL = 3_000
const IDLE_INTERVAL = 15_000

export const loginInfoQuery = queryOptions({ queryKey: ["login"], queryFn: loginInfo })

/** Conversations of a shelf whose title contains `q`. */
export const sessionsQuery = (q: string, shelf: Shelf = "listed") =>
  queryOptions({
    queryKey: ["sessions", q, shelf],
    queryFn: () => listSessions(q, shelf),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.some((session) => session.running) ? BUSY_INTERVAL : IDLE_INTERVAL),
  })

export const tokensQuery = queryOptions({ queryKey: ["tokens"], queryFn: listTokens })

/** Milliseconds between two looks at which runners are connected, while somebody looks. */
const RUNNERS_INTERVAL = 5_000

export const runnersQuery = queryOptions({ queryKey: ["runners"], queryFn: listRunners, refetchInterval: RUNNERS_INTERVAL })

/** Reads the list of sessions again soon. */
export function refreshSessions(): void {
  void reread(["sessions"])
}

export const modelsQuery = queryOptions({ queryKey: ["models"], queryFn: listModels, staleTime: 5 * 60_000, retry: false })

export const agentsQuery = queryOptions({ queryKey: ["agents"], queryFn: listAgents, staleTime: 5 * 60_000, retry: false })

/** The model that an agent's conversations are answered by, where the agent has one of its own. */
export function useAgentModel(id: string | undefined): string | undefined {
  const { data } = useQuery(agentsQuery)
  return data?.find((agent) => (id === undefined ? agent.default : agent.id === id))?.model
}
