import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Square } from "lucide-react"

import { endGroup, type Group, type GroupLine } from "../../api/groups"
import { groupWords } from "../../i18n/groups"
import { useTable } from "../../i18n/table"
import { IconButton } from "../../ui/IconButton"
import { Section } from "../../ui/Section"
import { toast } from "../../ui/toasts"
import { useConversationContext } from "../shared/context"
import { useKeepDetails } from "../shared/useDetails"
import { useGroups } from "./groups"
import { isBusy } from "./tree"
import { subagentsQuery } from "./useSubagents"

/** The chats among subagents of the conversation, with what was said; nothing where there is none. */
export default function GroupsSection({ below }: { below: number }) {
  const say = useTable(groupWords)
  const { sessionKey } = useConversationContext()
  const { data } = useGroups(below)
  const { data: agents } = useQuery(subagentsQuery(sessionKey))
  if (!data || data.length === 0) return null
  const busy = new Set(agents?.filter(isBusy).map(({ session }) => session))
  return (
    <Section title={say("title")}>
      <ul className="space-y-4">
        {data.map((group) => (
          <li key={group.id}>
            <Chat group={group} speaks={group.ended ? undefined : group.members.find(({ session }) => busy.has(session))?.name} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Chat({ group, speaks }: { group: Group; speaks?: string }) {
  const say = useTable(groupWords)
  return (
    <details open={!group.ended}>
      <summary className="cursor-pointer rounded-sm text-small">
        <span className="font-medium break-words">{group.topic.slice(0, 80)}</span>
        <span className={group.ended ? "ml-2 text-ink-3" : "ml-2 text-accent"}>{say(group.ended ?? "open")}</span>
      </summary>
      <div className="mt-1 flex min-h-8 items-center text-small text-ink-3">
        <span className="flex-1 tabular-nums">{say("lines", { n: group.total, rounds: group.rounds })}</span>
        {!group.ended && <End group={group} />}
      </div>
      {group.lines.length < group.total && <p className="mb-2 text-small text-ink-3">{say("newest", { n: group.lines.length })}</p>}
      <ol aria-label={say("said")} className="space-y-3 border-l border-line pl-3 text-small">
        {group.lines.map((line) => (
          <Line key={line.seq} line={line} group={group} />
        ))}
        {speaks && <li className="text-ink-3 italic">{say("speaks", { name: speaks })}</li>}
      </ol>
    </details>
  )
}

function End({ group }: { group: Group }) {
  const say = useTable(groupWords)
  const { sessionKey } = useConversationContext()
  const queries = useQueryClient()
  const end = useMutation({
    mutationFn: () => endGroup(sessionKey, group.id),
    onError: (error) => toast(error.message),
    onSettled: () => queries.invalidateQueries({ queryKey: ["groups", sessionKey] }),
  })
  return (
    <IconButton small label={say("end")} disabled={end.isPending} onClick={() => end.mutate()}>
      <Square size={13} aria-hidden />
    </IconButton>
  )
}

/** A line; the name of a member leads to its conversation. */
function Line({ line, group }: { line: GroupLine; group: Group }) {
  const say = useTable(groupWords)
  const keep = useKeepDetails()
  const member = group.members.find(({ name }) => name === line.speaker)
  const aside = line.outcome === "passed" ? say("passed") : line.outcome === "done" ? "" : say("silent")
  return (
    <li>
      {member ? (
        <Link to="/c/$key" params={{ key: member.session }} onClick={keep} className="rounded-sm font-medium text-ink-2 underline-offset-3 hover:underline">
          {line.speaker}
        </Link>
      ) : (
        <span className="font-medium text-ink-2">{line.speaker || say("moderator")}</span>
      )}
      {aside && <span className="ml-2 text-ink-3 italic">{aside}</span>}
      {line.said && <p className="break-words whitespace-pre-wrap">{line.said}</p>}
    </li>
  )
}
