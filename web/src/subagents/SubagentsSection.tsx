import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { CornerLeftUp, Hand, Square } from "lucide-react"

import { stopTurn } from "../api/calls"
import { listSubagents, type Subagent } from "../api/subagents"
import { useConversationContext } from "../conversation/context"
import { Section } from "../details/Section"
import { useLanguage } from "../i18n"
import { count } from "../i18n/format"
import { subagentWords } from "../i18n/subagents"
import { useTable } from "../i18n/table"
import { cx } from "../lib/cx"
import { IconButton } from "../ui/IconButton"
import { isBusy, nameOf, type Node, treeOf } from "./tree"

/** Milliseconds between two looks while somebody works, and while nobody does. */
const BUSY = 1_500
const QUIET = 5_000

/** Who works for the conversation, as a tree; of a subagent's own conversation the tree that it is part of. */
export default function SubagentsSection() {
  const say = useTable(subagentWords)
  const { sessionKey } = useConversationContext()
  const { data } = useQuery({
    queryKey: ["subagents", sessionKey],
    queryFn: () => listSubagents(sessionKey),
    refetchInterval: (query) => (query.state.data?.some(isBusy) ? BUSY : QUIET),
  })
  if (!data || data.length === 0) return null
  const here = data.find((agent) => agent.session === sessionKey)
  return (
    <Section title={say("title")}>
      {here && (
        <Link to="/c/$key" params={{ key: here.parent }} className="mb-1 flex min-h-8 items-center gap-2 text-small text-accent">
          <CornerLeftUp size={15} aria-hidden />
          {say("up")}
        </Link>
      )}
      <Level nodes={treeOf(data)} open={sessionKey} />
    </Section>
  )
}

function Level({ nodes, open }: { nodes: Node[]; open: string }) {
  return (
    <ul className="text-small">
      {nodes.map((node) => (
        <li key={node.agent.session}>
          <Row agent={node.agent} open={node.agent.session === open} />
          {node.below.length > 0 && (
            <div className="ml-2 border-l border-line pl-3">
              <Level nodes={node.below} open={open} />
            </div>
          )}
        </li>
      ))}
    </ul>
  )
}

function Row({ agent, open }: { agent: Subagent; open: boolean }) {
  const say = useTable(subagentWords)
  const language = useLanguage()
  const client = useQueryClient()
  const stop = useMutation({
    mutationFn: () => stopTurn(agent.session),
    onSettled: () => client.invalidateQueries({ queryKey: ["subagents"] }),
  })
  const name = nameOf(agent)
  return (
    <div className="flex min-h-9 items-start gap-1 py-1">
      <Link
        to="/c/$key"
        params={{ key: agent.session }}
        aria-current={open ? "page" : undefined}
        className={cx("-mx-1.5 min-w-0 flex-1 rounded-md px-1.5 py-0.5 hover:bg-hover", open && "bg-hover")}
      >
        <span className="flex items-baseline gap-2">
          <span className="font-medium break-all">{name}</span>
          <span className={cx("shrink-0", agent.state === "failed" || agent.state === "lost" ? "text-danger" : isBusy(agent) ? "text-accent" : "text-ink-3")}>
            {say(agent.state)}
          </span>
        </span>
        <span className="block truncate text-ink-2">{agent.tool || agent.task}</span>
        {agent.waiting && (
          <span className="flex items-center gap-1 text-warn">
            <Hand size={13} aria-hidden /> {say("asks")}
          </span>
        )}
        <span className="block text-ink-3 tabular-nums">{say("figures", { steps: agent.steps, tokens: count(language, agent.tokens) })}</span>
      </Link>
      {agent.turn_id && (
        <IconButton small label={say("stop", { name })} disabled={stop.isPending} onClick={() => stop.mutate()}>
          <Square size={13} aria-hidden />
        </IconButton>
      )}
    </div>
  )
}
