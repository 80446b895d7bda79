import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Plus } from "lucide-react"
import { lazy, Suspense, useState } from "react"

import { deleteOAuthProvider, type OAuthProvider } from "../../api/connections"
import { connectionsWords } from "../../i18n/connections"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { CopyButton } from "../../ui/CopyButton"
import { Note } from "../../ui/Note"
import { Section } from "../../ui/Section"
import { ProviderForm } from "./ProviderForm"
import { accountsQuery, providersQuery } from "./queries"

const Confirm = lazy(() => import("../../ui/Confirm"))

/** The providers of the installation, for administrators. */
export function ProvidersPart() {
  const say = useTable(connectionsWords)
  const { data, error } = useQuery(providersQuery)
  const [open, setOpen] = useState<string>() // the id of one; empty: a new one
  if (error && !data) return <Note tone="danger">{error.message}</Note>
  if (!data) return null
  const { redirect } = data
  const providers = data.providers.filter(({ mcp_server }) => !mcp_server) // those of MCP servers come and go with them
  const close = () => setOpen(undefined)
  return (
    <Section title={say("providers")}>
      <div className="space-y-4">
        <p className="text-ink-2">{say("providersLead")}</p>
        <p className="flex flex-wrap items-center gap-x-2 text-small text-ink-2">
          {say("redirect")} <code className="min-w-0 break-all">{redirect}</code> <CopyButton text={redirect} label={say("copyRedirect")} />
        </p>
        <ul aria-label={say("providers")} className="divide-y divide-line">
          {providers.map((provider) => (
            <li key={provider.id} aria-label={provider.name} className="space-y-3 py-3">
              <Row provider={provider} open={open === provider.id} onOpen={() => setOpen(open === provider.id ? undefined : provider.id)} />
              {open === provider.id && <ProviderForm key={provider.revision} stored={provider} onDone={close} />}
            </li>
          ))}
        </ul>
        {open === "" ? (
          <ProviderForm onDone={close} />
        ) : (
          <Button onClick={() => setOpen("")}>
            <Plus size={15} aria-hidden /> {say("add")}
          </Button>
        )}
      </div>
    </Section>
  )
}

function Row({ provider: { id, name, enabled, accounts, authorize_url }, open, onOpen }: { provider: OAuthProvider; open: boolean; onOpen: () => void }) {
  const say = useTable(connectionsWords)
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const removal = useMutation({ mutationFn: () => deleteOAuthProvider(id), onSuccess: () => client.invalidateQueries({ queryKey: accountsQuery.queryKey }) })
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
      <div className="min-w-48 flex-1">
        <p className="font-medium break-words">{name}</p>
        <p className="text-small break-all text-ink-3">
          {[id, say("accounts", { count: accounts }), !enabled && say("off"), authorize_url].filter((fact) => fact).join(" · ")}
        </p>
      </div>
      <div className="flex flex-wrap gap-1">
        <Button look="quiet" aria-label={say("editLabel", { name })} aria-expanded={open} onClick={onOpen}>{say("edit")}</Button>
        <Button look="quiet" aria-label={say("removeLabel", { name })} onClick={() => setAsking(true)}>{say("remove")}</Button>
      </div>
      {removal.error && <Note tone="danger" className="w-full">{removal.error.message}</Note>}
      <Suspense>
        {asking && (
          <Confirm title={say("removeTitle", { name })} text={say("removeText", { count: accounts })} action={say("remove")} onClose={() => setAsking(false)} onConfirm={() => removal.mutate()} />
        )}
      </Suspense>
    </div>
  )
}
