import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"

import { agreeToMcpProject, type McpProject, type McpProjectServer, withdrawMcpProject } from "../../api/mcp"
import { mcpWords } from "../../i18n/mcp"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { Section } from "../../ui/Section"
import { mcpProjectsQuery } from "./queries"
import { quote } from "./quote"

/** Lists folders with hooks, servers or skills in which a conversation has worked. Their contents are used after the user agrees here. */
export default function Projects() {
  const say = useTable(mcpWords)
  const { data, error } = useQuery(mcpProjectsQuery)
  if (error && !data) return <Note tone="danger">{error.message}</Note>
  if (!data?.length) return null
  return (
    <Section title={say("projects")}>
      <div className="space-y-4">
        <p className="text-ink-2">{say("projectsLead")}</p>
        <ul aria-label={say("projects")} className="divide-y divide-line">
          {data.map((project) => (
            <Project key={project.id} project={project} />
          ))}
        </ul>
      </div>
    </Section>
  )
}

const tones = { asks: "text-accent", agreed: "text-ink-3", changed: "text-accent", unusable: "text-danger", barred: "text-danger" }

/** One folder: what its file would have run and called, whether that is used, and the word of the person. */
function Project({ project }: { project: McpProject }) {
  const say = useTable(mcpWords)
  const client = useQueryClient()
  const again = () => client.invalidateQueries({ queryKey: mcpProjectsQuery.queryKey })
  const { id, runner, digest, state, problem, may_agree, agreed_at, servers, hooks, skills, notes } = project
  const folder = quote(project.folder)
  const agreement = useMutation({ mutationFn: () => agreeToMcpProject(id, digest), onSettled: again })
  const withdrawal = useMutation({ mutationFn: () => withdrawMcpProject(id), onSettled: again })
  const busy = agreement.isPending || withdrawal.isPending
  const failure = agreement.error ?? withdrawal.error
  const open = state === "asks" || state === "changed"
  const stands = state === "agreed" && !may_agree ? "barred" : state
  const leave = agreed_at ? "withdraw" : "dismiss"
  return (
    <li aria-label={folder} className="space-y-2 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-48 flex-1">
          <p className="font-mono text-small font-medium break-all">{folder}</p>
          <p className="text-small break-words text-ink-3">
            {say("onRunner", { runner })} · <span className={tones[stands]}>{say(`state_${stands}`)}</span>
          </p>
          <p className="text-small break-words text-ink-2">{say("brings", { what: brings(say, project) })}</p>
          {problem && <p className="text-small break-words text-danger">{say("problem", { problem })}</p>}
        </div>
        <div className="flex flex-wrap gap-1">
          {open && may_agree && (
            <Button aria-label={agreement.isPending ? undefined : say("agreeLabel", { folder })} disabled={busy} onClick={() => agreement.mutate()}>
              {say(agreement.isPending ? "agreeing" : "agree")}
            </Button>
          )}
          <Button look="quiet" aria-label={say(`${leave}Label`, { folder })} disabled={busy} onClick={() => withdrawal.mutate()}>{say(leave)}</Button>
        </div>
      </div>
      {!may_agree && <p className="text-small text-ink-2">{say("mayNot")}</p>}
      {failure && <Note tone="danger">{failure.message}</Note>}
      <ul className="space-y-2">
        {servers?.map((server) => (
          <Server key={server.name} server={server} agreed={stands === "agreed"} />
        ))}
        {hooks?.map(({ event, command, calls }, at) => (
          <li key={at} className="space-y-1 rounded-md bg-sunken px-3 py-2 text-small">
            <p className="font-medium break-all">{say("hookAt", { event })}</p>
            {command && <Exact title={say("runs")}>{quote(command)}</Exact>}
            {calls && <Exact title={say("calls")}>{quote(calls)}</Exact>}
          </li>
        ))}
      </ul>
      {skills?.length ? <Exact title={say("skills")}>{skills.map(quote).join("\n")}</Exact> : null}
      {notes?.length ? <Exact title={say("notes")}>{notes.map(quote).join("\n")}</Exact> : null}
    </li>
  )
}

/** The contents of a folder in one line. */
function brings(say: (word: "serversCount" | "hooksCount" | "skillsCount" | "notesCount", values: { count: number }) => string, { servers, hooks, skills, notes }: McpProject) {
  const parts = [
    { word: "hooksCount", count: hooks?.length ?? 0 },
    { word: "serversCount", count: servers?.length ?? 0 },
    { word: "skillsCount", count: skills?.length ?? 0 },
    { word: "notesCount", count: notes?.length ?? 0 },
  ] as const
  return parts.filter(({ count }) => count > 0).map(({ word, count }) => say(word, { count })).join(", ")
}

/** A server of a file, exactly as it would be used. */
function Server({ server: { name, command, args, env, url, headers, disabled, tools, problem }, agreed }: { server: McpProjectServer; agreed: boolean }) {
  const say = useTable(mcpWords)
  const given = Object.entries(env ?? {})
  return (
    <li aria-label={name} className="space-y-1 rounded-md bg-sunken px-3 py-2 text-small">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium break-all">{quote(name)}</span>
        {disabled && <span className="text-ink-3">{say("off")}</span>}
        {agreed && !disabled && <span className="text-ink-3">{say("tools", { count: tools })}</span>}
      </p>
      {command && <Exact title={say("runs")}>{[command, ...(args ?? [])].map(quote).join(" ")}</Exact>}
      {given.length > 0 && <Exact title={say("env")}>{given.map(([variable, value]) => `${quote(variable)}=${quote(value)}`).join("\n")}</Exact>}
      {url && <Exact title={say("calls")}>{quote(url)}</Exact>}
      {headers?.length ? <Exact title={say("headers")}>{headers.map(quote).join(", ")}</Exact> : null}
      {problem && <p className="break-words text-danger">{say("problem", { problem })}</p>}
    </li>
  )
}

function Exact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <p className="text-ink-2">
      {title} <span dir="ltr" className="font-mono break-all whitespace-pre-wrap text-ink">{children}</span>
    </p>
  )
}
