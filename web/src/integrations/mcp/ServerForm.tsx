import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type SubmitEvent, useState } from "react"

import { type McpServer, type McpState, saveMcpServer } from "../../api/mcp"
import { useT } from "../../i18n"
import { mcpWords } from "../../i18n/mcp"
import { useTable } from "../../i18n/table"
import { Area } from "../../ui/Area"
import { Button } from "../../ui/Button"
import { Field } from "../../ui/Field"
import { Note } from "../../ui/Note"
import { Select } from "../../ui/Select"
import { toast } from "../../ui/toasts"
import { accountsQuery } from "../connections/queries"
import { draftOf, type Filled, fits, ofServer, type Transport } from "./draft"
import { mcpQuery } from "./queries"
import { SecretValues } from "./SecretValues"

interface Props {
  begin: Filled
  admin: boolean
  /** Those that there are. */
  known: McpServer[]
  onDone: (states: McpState[]) => void
  onCancel: () => void
}

const common = { autoCapitalize: "none", autoComplete: "off", spellCheck: false }

/** What a server is: whose, how it is reached, and what it is given. It is asked what it offers once it is saved. */
export function ServerForm({ begin, admin, known, onDone, onCancel }: Props) {
  const t = useT()
  const say = useTable(mcpWords)
  const client = useQueryClient()
  const [filled, setFilled] = useState(begin)
  const [tried, setTried] = useState(false)
  const { name, shared, transport, revision } = filled
  const isNew = revision === 0
  const set = (change: Partial<Filled>) => setFilled({ ...filled, ...change })
  const saving = useMutation({
    mutationFn: () => saveMcpServer(name, draftOf(filled)),
    onSuccess: async (state) => {
      await client.invalidateQueries({ queryKey: mcpQuery.queryKey })
      toast(say("saved", { name }))
      onDone([state])
    },
  })
  const taken = isNew && known.some((one) => one.name === name && one.shared === shared)
  const problem = !fits(name) ? say("nameHint") : taken ? say("taken") : undefined
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setTried(true)
    if (!problem && !saving.isPending) saving.mutate()
  }
  return (
    <form className="space-y-4" onSubmit={submit} noValidate autoComplete="off">
      <div className="grid gap-4 sm:grid-cols-2">
        {isNew && (
          <Field
            label={say("name")}
            hint={say("nameHint")}
            problem={tried ? problem : undefined}
            value={name}
            onChange={({ target }) => set({ name: target.value })}
            maxLength={32}
            {...common}
          />
        )}
        {isNew && admin && (
          <Select<"mine" | "shared"> label={say("whose")} value={shared ? "shared" : "mine"} options={["mine", "shared"]} say={say} onChange={(whose) => set({ shared: whose === "shared" })} />
        )}
        <Select<Transport> label={say("transport")} value={transport} options={["http", "stdio", "sse"]} say={say} onChange={(transport) => set({ transport })} />
      </div>
      {transport === "stdio" ? <Command filled={filled} set={set} /> : <Address filled={filled} set={set} />}
      <Area label={say("instructions")} hint={say("instructionsHint")} value={filled.instructions} onValue={(instructions) => set({ instructions })} rows={2} limit={8_000} />
      {shared && (
        <label className="flex items-start gap-2">
          <input type="checkbox" className="mt-1 size-4 accent-accent" checked={filled.trusted} onChange={({ target }) => set({ trusted: target.checked })} />
          {say("trusted")}
        </label>
      )}
      {saving.error && <Note tone="danger">{saving.error.message}</Note>}
      <div className="flex flex-wrap justify-end gap-2">
        <Button look="quiet" onClick={onCancel}>{t("common.cancel")}</Button>
        <Button type="submit" look="primary" aria-disabled={saving.isPending}>
          {say(saving.isPending ? "saving" : "save")}
        </Button>
      </div>
    </form>
  )
}

interface PartProps {
  filled: Filled
  set: (change: Partial<Filled>) => void
}

function Command({ filled: { command, args, env, shared }, set }: PartProps) {
  const say = useTable(mcpWords)
  return (
    <>
      {shared && <Note tone="warn">{say("sharedCommand")}</Note>}
      <Field label={say("command")} hint={say("commandHint")} value={command} onChange={({ target }) => set({ command: target.value })} maxLength={1024} {...common} />
      <Area label={say("args")} hint={say("argsHint")} value={args} onValue={(args) => set({ args })} rows={3} />
      <SecretValues title={say("env")} add={say("addEnv")} values={env} onChange={(env) => set({ env })} />
    </>
  )
}

function Address({ filled: { url, headers, shared, account }, set }: PartProps) {
  const say = useTable(mcpWords)
  return (
    <>
      <Field label={say("url")} hint={say(shared ? "urlSharedHint" : "urlHint")} type="url" value={url} onChange={({ target }) => set({ url: target.value })} maxLength={2048} {...common} />
      {shared && <AccountField account={account} onAccount={(account) => set({ account })} />}
      <SecretValues title={say("headers")} add={say("addHeader")} values={headers} onChange={(headers) => set({ headers })} />
    </>
  )
}

/** Whose account authorizes requests: that of whoever uses the server, at a provider, or none. */
function AccountField({ account, onAccount }: { account: string; onAccount: (account: string) => void }) {
  const say = useTable(mcpWords)
  const { data } = useQuery(accountsQuery)
  const providers = data?.providers ?? []
  const kept = providers.filter(({ id }) => !ofServer.test(id)) // those of other servers are for them alone
  const options = ["", ...new Set([...kept.map(({ id }) => id), account].filter((id) => id !== ""))]
  if (options.length === 1) return null
  return <Select label={say("account")} value={account} options={options} say={(id) => (id === "" ? say("noAccount") : say("accountAt", { name: providers.find((known) => known.id === id)?.name ?? id }))} onChange={onAccount} />
}
