import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"

import { type McpServer, type McpState, saveMcpServer } from "../../api/mcp"
import { mcpWords } from "../../i18n/mcp"
import { useTable } from "../../i18n/table"
import { Area } from "../../ui/Area"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { Select } from "../../ui/Select"
import { draftOf, type Filled, nothing } from "./draft"
import { parseServers } from "./parse"
import { mcpQuery } from "./queries"
import { ServerForm } from "./ServerForm"

interface Props {
  admin: boolean
  known: McpServer[]
  onDone: (states: McpState[]) => void
  /** Some of several were added, and others not. */
  onHear: (states: McpState[]) => void
  onCancel: () => void
}

/** New servers: one in a form, which a pasted configuration fills in, or several as they were pasted. */
export function AddServers({ admin, known, onDone, onHear, onCancel }: Props) {
  const say = useTable(mcpWords)
  const [pasted, setPasted] = useState("")
  const [problem, setProblem] = useState<string>()
  const [begin, setBegin] = useState(nothing)
  const [several, setSeveral] = useState<Filled[]>()
  const [times, setTimes] = useState(0) // another form for each pasted text
  const fill = () => {
    const { servers, wrong } = read(pasted)
    setProblem(wrong && say(wrong))
    const [one, another] = servers
    setSeveral(another && servers)
    if (!one || another) return
    setBegin(one)
    setTimes(times + 1)
    setPasted("") // it may hold secrets, which are in fields of their own now
  }
  return (
    <div className="space-y-6">
      <div className="space-y-2">
        <Area label={say("paste")} hint={say("pasteHint")} problem={problem} value={pasted} onValue={setPasted} limit={130_000} />
        <Button disabled={pasted.trim() === ""} onClick={fill}>{say("fill")}</Button>
      </div>
      {several ? (
        <Several servers={several} admin={admin} onDone={onDone} onHear={onHear} />
      ) : (
        <ServerForm key={times} begin={begin} admin={admin} known={known} onDone={onDone} onCancel={onCancel} />
      )}
    </div>
  )
}

function read(text: string): { servers: Filled[]; wrong?: "noJson" | "noServers" } {
  try {
    const servers = parseServers(text)
    return { servers, wrong: servers.length === 0 ? "noServers" : undefined }
  } catch {
    return { servers: [], wrong: "noJson" }
  }
}

type Scope = "shared" | "mine"

function Several({ servers, admin, onDone, onHear }: { servers: Filled[]; admin: boolean } & Pick<Props, "onDone" | "onHear">) {
  const say = useTable(mcpWords)
  const client = useQueryClient()
  const [scope, setScope] = useState<Scope>("mine")
  const [left, setLeft] = useState(servers)
  const adding = useMutation({
    mutationFn: async () => {
      const added: McpState[] = []
      const failed: string[] = []
      const remain: Filled[] = []
      for (const server of left) {
        try {
          added.push(await saveMcpServer(server.name, draftOf({ ...server, shared: scope === "shared" })))
        } catch (error) {
          failed.push(say("failedToAdd", { name: server.name, problem: error instanceof Error ? error.message : String(error) }))
          remain.push(server)
        }
      }
      setLeft(remain)
      await client.invalidateQueries({ queryKey: mcpQuery.queryKey })
      if (failed.length === 0) onDone(added)
      else onHear(added)
      return failed
    },
  })
  return (
    <div className="space-y-4">
      <p>{say("several", { count: left.length, names: left.map(({ name }) => name).join(", ") })}</p>
      {admin && <Select<Scope> label={say("whose")} value={scope} options={["mine", "shared"]} say={say} onChange={setScope} />}
      {adding.data?.map((sentence) => (
        <Note key={sentence} tone="danger">{sentence}</Note>
      ))}
      <Button look="primary" aria-disabled={adding.isPending} onClick={() => adding.isPending || adding.mutate()}>
        {adding.isPending ? say("saving") : say("addAll", { count: left.length })}
      </Button>
    </div>
  )
}
