import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"

import { deleteMcpServer, type McpServer, type McpState, nameMcpAccount, refreshMcpServer, saveMcpServer } from "../../api/mcp"
import { useLanguage } from "../../i18n"
import { moment } from "../../i18n/format"
import { mcpWords } from "../../i18n/mcp"
import { useTable } from "../../i18n/table"
import { cx } from "../../lib/cx"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { accountsQuery } from "../connections/queries"
import { useConnect } from "../connections/useConnect"
import { draftOf, filledFrom, ofServer } from "./draft"
import { mcpQuery } from "./queries"
import { Tools } from "./Tools"

const Confirm = lazy(() => import("../../ui/Confirm"))

interface Props {
  server: McpServer
  /** Why it could not be asked the last time. */
  problem?: string
  /** One of the person's own takes its place. */
  replaced: boolean
  /** The person may change it. */
  changes: boolean
  onEdit: () => void
  onHear: (state: McpState) => void
}

/** One server: whose it is, how it stands, its tools, and what can be done with it. */
export function ServerRow(props: Props) {
  const { server, problem, replaced, changes } = props
  const say = useTable(mcpWords)
  const language = useLanguage()
  const [tools, setTools] = useState(false)
  const { name, shared, enabled, listed_at, command, args, url, transport } = server
  const count = (["tools", "prompts", "resources"] as const).filter((what) => what === "tools" || server[what] > 0).map((what) => say(what, { count: server[what] }))
  const given = [...(server.env_names ?? []), ...(server.header_names ?? [])].join(", ")
  const facts = [transport, ...count, listed_at ? say("listed", { date: moment(language, listed_at) }) : say("unlisted"), given && say("values", { names: given })]
  const whose = say(shared ? "installation" : "own")
  return (
    <li aria-label={`${name} (${whose})`} className="space-y-2 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-48 flex-1">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium break-words">{name}</span>
            <span className={cx("text-small", shared ? "text-ink-3" : "text-accent")}>{whose}</span>
            {server.from_file && <span className="text-small text-ink-3">{say("fromFile")}</span>}
            {!enabled && <span className="text-small text-ink-3">{say("off")}</span>}
            {replaced && <span className="text-small text-ink-3">{say("replaced")}</span>}
          </p>
          <p className="text-small break-words text-ink-3">{facts.filter((fact) => fact).join(" · ")}</p>
          <p className="font-mono text-small break-all text-ink-2">{url || [command, ...(args ?? [])].join(" ")}</p>
          {problem && enabled && <p className="text-small break-words text-danger">{say("problem", { problem })}</p>}
        </div>
        <div className="flex flex-wrap gap-1">
          <Button aria-label={say("showToolsLabel", { name })} aria-expanded={tools} onClick={() => setTools(!tools)}>{say("showTools")}</Button>
          {enabled && (server.account ? ofServer.test(server.account) : changes && server.wants_account) && <Connect server={server} />}
          {changes && <Actions {...props} />}
        </div>
      </div>
      {tools && <Tools server={server} />}
    </li>
  )
}

/** The way to the account that a server wants, unless it is connected. A server that has not said at which provider is asked first. */
function Connect({ server: { name, shared, account } }: Pick<Props, "server">) {
  const say = useTable(mcpWords)
  const client = useQueryClient()
  const { data } = useQuery(accountsQuery)
  const connecting = useConnect(async () => {
    if (account) return account
    const named = await nameMcpAccount(name, shared)
    await client.invalidateQueries({ queryKey: mcpQuery.queryKey })
    return named
  })
  if (data?.accounts.some(({ provider, problem }) => provider === account && !problem)) return null
  return (
    <>
      <Button aria-label={say("connectLabel", { name })} disabled={connecting.isPending} onClick={() => connecting.mutate(window.open("about:blank", "_blank"))}>{say("connect")}</Button>
      {connecting.error && <Note tone="danger" className="w-full">{connecting.error.message}</Note>}
    </>
  )
}

function Actions({ server, onEdit, onHear }: Props) {
  const say = useTable(mcpWords)
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const { name, shared, enabled } = server
  const again = () => client.invalidateQueries({ queryKey: mcpQuery.queryKey })
  const hear = async (state: McpState) => {
    await again()
    onHear(state)
  }
  const refresh = useMutation({ mutationFn: () => refreshMcpServer(name, shared), onSuccess: hear })
  const turning = useMutation({ mutationFn: () => saveMcpServer(name, { ...draftOf(filledFrom(server)), enabled: !enabled }), onSuccess: hear })
  const removal = useMutation({ mutationFn: () => deleteMcpServer(name, shared), onSuccess: again })
  const failure = refresh.error ?? turning.error ?? removal.error
  const turn = enabled ? "turnOff" : "turnOn"
  return (
    <>
      {enabled && (
        <Button look="quiet" aria-label={refresh.isPending ? undefined : say("refreshLabel", { name })} disabled={refresh.isPending} onClick={() => refresh.mutate()}>
          {say(refresh.isPending ? "refreshing" : "refresh")}
        </Button>
      )}
      {!server.from_file && (
        <>
          <Button look="quiet" aria-label={say("editLabel", { name })} onClick={onEdit}>{say("edit")}</Button>
          <Button look="quiet" aria-label={say(`${turn}Label`, { name })} disabled={turning.isPending} onClick={() => turning.mutate()}>{say(turn)}</Button>
          <Button look="quiet" aria-label={say("removeLabel", { name })} onClick={() => setAsking(true)}>{say("remove")}</Button>
        </>
      )}
      {failure && <Note tone="danger" className="w-full">{failure.message}</Note>}
      <Suspense>
        {asking && (
          <Confirm title={say("removeTitle", { name })} text={say("removeText")} action={say("remove")} onClose={() => setAsking(false)} onConfirm={() => removal.mutate()} />
        )}
      </Suspense>
    </>
  )
}
