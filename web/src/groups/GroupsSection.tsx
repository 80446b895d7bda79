import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Square } from "lucide-react"

import { endGroup, type Group, type GroupLine, listGroups } from "../api/groups"
import { useConversationContext } from "../conversation/context"
import { Section } from "../details/Section"
import { groupWords } from "../i18n/groups"
import { useTable } from "../i18n/table"
import { IconButton } from "../ui/IconButton"

/** Milliseconds between two looks at chats that go on. */
const LOOK = 2_000

/** The chats among subagents of the conversation, with what was said; nothing where there is none. */
export default function GroupsSection() {
  const say = useTable(groupWords)
  const { sessionKey } = useConversationContext()
  const { data } = useQuery({
    queryKey: ["groups", sessionKey],
    queryFn: () => listGroups(sessionKey),
    refetchInterval: ({ state }) => (state.data?.some((group) => !group.ended) ? LOOK : 5 * LOOK),
    retry: false,
  })
  if (!data || data.length === 0) return null
  return (
    <Section title={say("title")}>
      <ul className="space-y-3">
        {data.map((group) => (
          <li key={group.id}>
            <Chat group={group} sessionKey={sessionKey} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Chat({ group, sessionKey }: { group: Group; sessionKey: string }) {
  const say = useTable(groupWords)
  const queries = useQueryClient()
  const end = useMutation({
    mutationFn: () => endGroup(sessionKey, group.id),
    onSettled: () => queries.invalidateQueries({ queryKey: ["groups", sessionKey] }),
  })
  return (
    <details open={!group.ended}>
      <summary className="cursor-pointer text-small">
        <span className="font-medium">{group.topic.slice(0, 80)}</span>
        <span className="ml-2 text-ink-3">{say((group.ended ?? "open"))}</span>
      </summary>
      <div className="mt-1 flex items-center text-small text-ink-3">
        <span className="flex-1">{say("lines", { n: group.total, rounds: group.rounds })}</span>
        {!group.ended && (
          <IconButton small label={say("end")} disabled={end.isPending} onClick={() => end.mutate()}>
            <Square size={13} aria-hidden />
          </IconButton>
        )}
      </div>
      <ol className="mt-1 space-y-2 text-small">
        {group.lines.map((line) => (
          <Line key={line.seq} line={line} />
        ))}
      </ol>
    </details>
  )
}

function Line({ line }: { line: GroupLine }) {
  const say = useTable(groupWords)
  const aside = line.outcome === "passed" ? say("passed") : line.outcome === "done" ? "" : say("silent")
  return (
    <li>
      <span className="text-ink-2">{line.speaker || say("moderator")}</span>
      {aside && <span className="ml-2 text-ink-3 italic">{aside}</span>}
      <p className="break-words whitespace-pre-wrap">{line.said}</p>
    </li>
  )
}
