import { queryOptions, useQuery } from "@tanstack/react-query"

import { listGroups } from "../../api/groups"
import type { Subagent } from "../../api/subagents"
import { useConversationContext } from "../shared/context"
import { useHeard } from "./useSubagents"

/** Milliseconds between two looks for what no event told of: over a good connection, and over a lost one. */
const LOOK = 20_000
const LOST = 5_000

export const groupsQuery = (key: string) => queryOptions({ queryKey: ["groups", key], queryFn: () => listGroups(key), retry: false })

/** The chats among subagents of the conversation, kept current by its events. For one part of the page, as those are. */
export function useGroups(below: number) {
  const { sessionKey, link } = useConversationContext()
  useHeard(["groups", sessionKey], below)
  return useQuery({ ...groupsQuery(sessionKey), refetchInterval: link === "live" ? LOOK : LOST })
}

/**
 * What members of group chats are called there, by their conversations: chats of the conversation at the top of a tree, which
 * the open one may be a part of.
 */
export function useMembers(open: string, agents: Subagent[] = []): Map<string, string> {
  const root = agents.find(({ depth }) => depth === 1)?.parent ?? open
  const { data: groups } = useQuery({ ...groupsQuery(root), enabled: agents.length > 0 })
  return new Map(groups?.flatMap((group) => group.members.map(({ session, name }) => [session, name] as const)))
}
