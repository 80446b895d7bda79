import { keepPreviousData, queryOptions } from "@tanstack/react-query"

import { listRunners, listSessions, listTokens, loginInfo, me, type Shelf } from "../api/calls"
import { wear } from "./look"
import { reread } from "./query-client"

/** Milliseconds between two looks at the list of sessions: while something runs, and else. */
const BUSY_INTERVAL = 3_000
const IDLE_INTERVAL = 15_000

export const meQuery = queryOptions({ queryKey: ["me"], queryFn: () => me().then((me) => (wear(me), me)), staleTime: 5 * 60_000, retry: false })

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
