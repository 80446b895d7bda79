import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Square } from "lucide-react"
import type { ReactNode } from "react"

import { killTask } from "../../api/calls"
import type { Work } from "../../api/works"
import { useT } from "../../i18n"
import { useTable } from "../../i18n/table"
import { workWords, type WorkWord } from "../../i18n/works"
import { IconButton } from "../../ui/IconButton"
import { toast } from "../../ui/toasts"
import { useConversationContext } from "../shared/context"
import { timeOfTask } from "./words"

/** What a work is called: a subagent by its role and name, all else by what it is about. */
export const nameOfWork = (work: Work): string => (work.kind === "subagent" ? work.id.replace(/#.*/, "") : work.command)

const begun = (work: Work): boolean => work.kind === "group chat" || Boolean(work.turn_id)

const stateOf = (work: Work): WorkWord => (!begun(work) ? "waiting" : work.kind === "group chat" ? "speaking" : "working")

/** A subagent, a chat or the run of a job: what it is, how it stands since when, the way to it, and the button that stops it. */
export function WorkItem({ work, now }: { work: Work; now: number }) {
  const t = useT()
  const say = useTable(workWords)
  const name = nameOfWork(work)
  return (
    <div className="flex items-center gap-1">
      <Way work={work}>
        <span className="flex items-baseline gap-2.5">
          <span className="min-w-0 flex-1 truncate text-ink-2">{name}</span>
          <span className="shrink-0 text-accent tabular-nums">
            {say(stateOf(work))} · {timeOfTask(t, work, now)}
          </span>
        </span>
        <span className="block truncate text-ink-3">
          {say(work.kind)}
          {work.kind === "subagent" && ` · ${work.command}`}
        </span>
      </Way>
      {begun(work) && <Stop id={work.id} label={say("stop", { name })} />}
    </div>
  )
}

/** To the conversation of a subagent or a job; of a chat, which has none of its own, to the details. */
function Way({ work, children }: { work: Work; children: ReactNode }) {
  const say = useTable(workWords)
  const { showDetails } = useConversationContext()
  const look = "block min-w-0 flex-1 rounded-md px-1.5 py-1 text-left hover:bg-hover"
  if (work.session_key) {
    return (
      <Link to="/c/$key" params={{ key: work.session_key }} className={look}>
        {children}
      </Link>
    )
  }
  return (
    <button type="button" data-tip={say("show")} onClick={() => showDetails()} className={look}>
      {children}
    </button>
  )
}

function Stop({ id, label }: { id: string; label: string }) {
  const { sessionKey } = useConversationContext()
  const client = useQueryClient()
  const stop = useMutation({
    mutationFn: () => killTask(sessionKey, id),
    onError: (error) => toast(error.message),
    onSettled: () => Promise.all(["works", "subagents", "groups"].map((kind) => client.invalidateQueries({ queryKey: [kind] }))),
  })
  return (
    <IconButton small label={label} disabled={stop.isPending || stop.isSuccess} onClick={() => stop.mutate()}>
      <Square size={13} aria-hidden />
    </IconButton>
  )
}
