import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Hand, Square } from "lucide-react"

import { stopTurn } from "../../api/calls"
import type { Subagent } from "../../api/subagents"
import { useLanguage } from "../../i18n"
import { count } from "../../i18n/format"
import { subagentWords, type SubagentWord } from "../../i18n/subagents"
import { useTable } from "../../i18n/table"
import { cx } from "../../lib/cx"
import { IconButton } from "../../ui/IconButton"
import { Section } from "../../ui/Section"
import { useConversationContext } from "../shared/context"
import { useKeepDetails } from "../shared/useDetails"
import { useMembers } from "./groups"
import { isBusy, nameOf, type Node, treeOf } from "./tree"
import { useSubagents } from "./useSubagents"

interface Known {
  /** Key of the open conversation. */
  open: string
  /** What members of group chats are called there, by their conversations. */
  members: Map<string, string>
}

/** Who works for the conversation, as a tree; of a subagent's own conversation the tree that it is part of. */
export default function SubagentsSection({ below }: { below: number }) {
  const say = useTable(subagentWords)
  const { sessionKey } = useConversationContext()
  const { data } = useSubagents(below)
  const members = useMembers(sessionKey, data)
  if (!data || data.length === 0) return null
  return (
    <Section title={say("title")}>
      <Level nodes={treeOf(data)} known={{ open: sessionKey, members }} />
    </Section>
  )
}

function Level({ nodes, known }: { nodes: Node[]; known: Known }) {
  return (
    <ul className="space-y-1 text-small">
      {nodes.map((node) => (
        <li key={node.agent.session}>
          <Row agent={node.agent} known={known} />
          {node.below.length > 0 && (
            <div className="mt-1 ml-1 border-l border-line pl-3">
              <Level nodes={node.below} known={known} />
            </div>
          )}
        </li>
      ))}
    </ul>
  )
}

function Row({ agent, known }: { agent: Subagent; known: Known }) {
  const say = useTable(subagentWords)
  const language = useLanguage()
  const client = useQueryClient()
  const keep = useKeepDetails()
  const stop = useMutation({
    mutationFn: () => stopTurn(agent.session),
    onSettled: () => client.invalidateQueries({ queryKey: ["subagents"] }),
  })
  const member = known.members.get(agent.session)
  const name = member ?? nameOf(agent)
  const open = agent.session === known.open
  const kind: SubagentWord | undefined = member ? "member" : agent.background ? "background" : undefined
  return (
    <div className="flex items-start gap-1">
      <Link
        to="/c/$key"
        params={{ key: agent.session }}
        onClick={keep}
        aria-current={open ? "page" : undefined}
        className={cx("-mx-1.5 min-w-0 flex-1 rounded-md px-1.5 py-1 hover:bg-hover", open && "bg-hover")}
      >
        <span className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium break-all">{name}</span>
          <State agent={agent} />
          {kind && <span className="text-ink-3">{say(kind)}</span>}
        </span>
        <span className="block truncate text-ink-2">{agent.tool || agent.task}</span>
        {agent.steps > 0 && <span className="block text-ink-3 tabular-nums">{say(agent.steps === 1 ? "figuresOne" : "figures", { steps: agent.steps, tokens: count(language, agent.tokens) })}</span>}
      </Link>
      {agent.turn_id && (
        <IconButton small label={say("stop", { name })} disabled={stop.isPending} onClick={() => stop.mutate()}>
          <Square size={13} aria-hidden />
        </IconButton>
      )}
    </div>
  )
}

/** What it does, in a word; a permission that it waits for stands above all. */
function State({ agent }: { agent: Subagent }) {
  const say = useTable(subagentWords)
  if (agent.waiting) {
    return (
      <span className="shrink-0 text-warn">
        <Hand size={13} aria-hidden className="mr-1 inline align-[-0.125em]" />
        {say("asks")}
      </span>
    )
  }
  const tone = agent.state === "failed" || agent.state === "lost" ? "text-danger" : isBusy(agent) ? "text-accent" : "text-ink-3"
  return <span className={cx("shrink-0", tone)}>{say(agent.state)}</span>
}
