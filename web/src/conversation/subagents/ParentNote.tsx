import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { CornerLeftUp } from "lucide-react"

import { sessionsQuery } from "../../api/queries"
import { subagentWords } from "../../i18n/subagents"
import { useTable } from "../../i18n/table"
import { useConversationContext } from "../shared/context"
import { useKeepDetails } from "../shared/useDetails"
import { useMembers } from "./groups"
import { nameOf } from "./tree"
import { subagentsQuery } from "./useSubagents"

/** In a subagent's conversation: whose it is, and the way back to the conversation that asked for it. */
export default function ParentNote({ details }: { details: boolean }) {
  const say = useTable(subagentWords)
  const keep = useKeepDetails()
  const { sessionKey } = useConversationContext()
  const { data } = useQuery(subagentsQuery(sessionKey))
  const { data: sessions } = useQuery(sessionsQuery(""))
  const members = useMembers(sessionKey, data)
  const here = data?.find((agent) => agent.session === sessionKey)
  if (!here) return null
  const above = data?.find((agent) => agent.session === here.parent)
  const title = above ? nameOf(above) : sessions?.find((session) => session.key === here.parent)?.title || say("up")
  return (
    <>
      <span className="min-w-0 truncate text-ink-3">{say("works", { name: members.get(sessionKey) ?? nameOf(here) })}</span>
      <Link
        to="/c/$key"
        params={{ key: here.parent }}
        onClick={() => details && keep()}
        className="flex min-w-0 items-center gap-1.5 rounded-sm text-accent hover:underline"
      >
        <CornerLeftUp size={14} aria-hidden className="shrink-0" />
        <span className="truncate">{title}</span>
      </Link>
    </>
  )
}
