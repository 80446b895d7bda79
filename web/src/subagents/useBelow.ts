import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"

import { listSubagents } from "../api/subagents"
import { useConversationContext } from "../conversation/context"
import { isBusy } from "./tree"

/** Milliseconds from the first word of something new to the look at it, so that a burst is one look. */
const PAUSE = 250
/** Milliseconds between two looks for what no event told of. */
const LOOK = 20_000
/** The same where no events come: over a lost connection, and in a subagent's own conversation, which hears only of itself. */
const BUSY = 2_000
const QUIET = 6_000

export const subagentsQuery = (key: string) => queryOptions({ queryKey: ["subagents", key], queryFn: () => listSubagents(key) })

/** Who works for the conversation, kept current by its events. For one part of the page: others read what it keeps. */
export function useSubagents(below: number) {
  const { sessionKey, link } = useConversationContext()
  useHeard(["subagents", sessionKey], below)
  return useQuery({
    ...subagentsQuery(sessionKey),
    refetchInterval: ({ state: { data } }) => {
      const told = link === "live" && !data?.some(({ session }) => session === sessionKey)
      return told ? LOOK : data?.some(isBusy) ? BUSY : QUIET
    },
  })
}

/** Reads what a key names again, soon after something was heard. */
export function useHeard(key: readonly [string, string], heard: number): void {
  const client = useQueryClient()
  const last = useRef(heard)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [kind, of] = key
  useEffect(() => {
    if (last.current === heard) return
    last.current = heard
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void client.invalidateQueries({ queryKey: [kind, of] }, { cancelRefetch: false })
    }, PAUSE)
  }, [client, kind, of, heard])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
}
