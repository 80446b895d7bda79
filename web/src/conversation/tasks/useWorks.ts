import { useQuery } from "@tanstack/react-query"

import { listWorks } from "../../api/works"
import { useConversationContext } from "../shared/context"
import { useHeard } from "../subagents/useSubagents"

/** Milliseconds from the first word of something new to the look at it: steps of subagents come fast. */
const PAUSE = 1_000
/** Milliseconds between two looks while something works, for what no event told of. */
const LOOK = 20_000

/** What works for the conversation in the background now, without its commands; kept current by its events. */
export function useWorks(below: number) {
  const { sessionKey } = useConversationContext()
  useHeard(["works", sessionKey], below, PAUSE)
  const { data } = useQuery({
    queryKey: ["works", sessionKey],
    queryFn: () => listWorks(sessionKey),
    select: (works) => works.filter((work) => work.state === "running"),
    refetchInterval: ({ state }) => (state.data?.some((work) => work.state === "running") ? LOOK : false),
  })
  return data ?? []
}
