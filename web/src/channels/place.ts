import { useQuery } from "@tanstack/react-query"

import { agentsQuery } from "../api/queries"
import type { Session } from "../api/types"
import { type Translate, useT } from "../i18n"

const channels = ["web", "cli", "api", "feishu", "qq", "napcat", "cron", "hook"] as const

/** The name of a channel; one that is not known is called as it calls itself. */
export function channelName(t: Translate, channel: string): string {
  const known = channels.find((name) => name === channel)
  return known ? t(`channel.${known}`) : channel
}

/** What people call the place of a conversation: the group with its thread, or the person. */
export const labelOf = ({ origin }: Session): string => origin.label || origin.subject || origin.room || origin.display_name || ""

/** Channel, kind and name of the place, and the agent: only what is not the same for all. */
export function usePlace(session: Session): string {
  const t = useT()
  const { data: agents = [] } = useQuery(agentsQuery)
  const agent = agents.length > 1 ? (agents.find(({ id }) => id === session.agent)?.name ?? session.agent) : ""
  return placeOf(t, session, agent)
}

export function placeOf(t: Translate, session: Session, agent: string): string {
  if (session.chat_type === "subagent") return agent // whose it is stands below
  const here = session.channel === "web"
  const type = session.chat_type === "direct" || here ? "" : t(`chat.${session.chat_type}`)
  const name = labelOf(session)
  const parts = [here ? "" : channelName(t, session.channel), type, name === session.title ? "" : name, agent]
  return parts.filter((part) => part !== "").join(" · ")
}
