import { queryOptions, useQuery } from "@tanstack/react-query"
import { useEffect, useRef } from "react"

import { reread } from "../../api/query-client"
import { listSubagents } from "../../api/subagents"
import { useConversationContext } from "../shared/context"
import { isBusy } from "./tree"

/** Milliseconds from the first word of something new to the look at it, so that a burst is one look. */
const PAUSE = 250
/** Milliseconds between two looks for what no event told of. */
const LOOK = 20_000
/** The same over a lost connection, while somebody works. */
const LOST = 2_000

export const subagentsQuery = (key: string) => queryOptions({ queryKey: ["subagents", key], queryFn: () => listSubagents(key) })

/** Who works for the conversation, kept current by its events. For one part of the page: others read what it keeps. */
export function useSubagents(below: number) {
  const { sessionKey, link } = useConversationContext()
  useHeard(["subagents", sessionKey], below)
  return useQuery({
    ...subagentsQuery(sessionKey),
    refetchInterval: ({ state: { data } }) => (link !== "live" && data?.some(isBusy) ? LOST : LOOK),
  })
}

/** Reads what a key names again, soon after something was heard: `pause` milliseconds. */
export function useHeard(key: readonly [string, string], heard: number, pause = PAUSE): void {
  const last = useRef(heard)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [kind, of] = key
  useEffect(() => {
    if (last.current === heard) return
    last.current = heard
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void reread([kind, of])
    }, pause)
  }, [kind, of, heard, pause])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
}
