import { useQuery } from "@tanstack/react-query"
import { ArrowLeft, Plus } from "lucide-react"
import { lazy, Suspense, useState } from "react"

import { useAccount } from "../../account/account"
import type { McpServer, McpState } from "../../api/mcp"
import { mcpWords } from "../../i18n/mcp"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Pending } from "../../ui/Pending"
import { Section } from "../../ui/Section"
import { AddServers } from "./AddServers"
import { filledFrom } from "./draft"
import { mcpQuery } from "./queries"
import { ServerForm } from "./ServerForm"
import { ServerRow } from "./ServerRow"

const Projects = lazy(() => import("./Projects"))

/** Tells a server of the installation from a person's own of the same name. */
const keyOf = ({ name, shared }: { name: string; shared: boolean }) => `${shared ? "all" : "mine"} ${name}`

/** Where the model's tools come from: the MCP servers of the person and of the installation. */
export default function ToolsPage() {
  const say = useTable(mcpWords)
  const { me } = useAccount()
  const { data, error } = useQuery(mcpQuery)
  const [open, setOpen] = useState<{ server?: McpServer }>()
  const [told, setTold] = useState<Record<string, string>>({}) // why the server of a key could not be asked, where only the answer says so
  if (!data) return <Pending error={error} />
  const admin = me.user.role === "admin"
  const hear = (states: McpState[]) => setTold((before) => ({ ...before, ...Object.fromEntries(states.map(({ server, problem }) => [keyOf(server), problem ?? ""])) }))
  if (open) {
    const { server } = open
    const done = (states: McpState[]) => {
      hear(states)
      setOpen(undefined)
    }
    const cancel = () => setOpen(undefined)
    return (
      <div className="space-y-4">
        <div className="flex items-center gap-3">
          <Button look="quiet" onClick={cancel}>
            <ArrowLeft size={15} aria-hidden /> {say("back")}
          </Button>
          <h3 className="font-semibold">{server ? say("editLabel", { name: server.name }) : say("add")}</h3>
        </div>
        {server ? <ServerForm begin={filledFrom(server)} admin={admin} known={data} onDone={done} onCancel={cancel} /> : <AddServers admin={admin} known={data} onDone={done} onHear={hear} onCancel={cancel} />}
      </div>
    )
  }
  return (
    <div className="space-y-8">
      <Section title={say("title")}>
        <div className="space-y-4">
          <p className="text-ink-2">
            {say("lead")} {say("walls")}
          </p>
          {data.length === 0 && <p className="text-ink-2">{say("none")}</p>}
          <ul aria-label={say("list")} className="divide-y divide-line">
            {data.map((server) => (
              <ServerRow
                key={keyOf(server)}
                server={server}
                problem={told[keyOf(server)] || server.problem}
                replaced={server.shared && data.some(({ name, shared }) => !shared && name === server.name)}
                changes={admin || !server.shared}
                onEdit={() => setOpen({ server })}
                onHear={(state) => hear([state])}
              />
            ))}
          </ul>
          <Button onClick={() => setOpen({})}>
            <Plus size={15} aria-hidden /> {say("add")}
          </Button>
        </div>
      </Section>
      <Suspense>
        <Projects />
      </Suspense>
    </div>
  )
}
