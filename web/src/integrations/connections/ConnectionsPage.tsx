import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"

import { useAccount } from "../../account/account"
import { type Connectable, disconnectAccount, type OAuthAccount } from "../../api/connections"
import { useLanguage } from "../../i18n"
import { connectionsWords } from "../../i18n/connections"
import { moment } from "../../i18n/format"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { Pending } from "../../ui/Pending"
import { Section } from "../../ui/Section"
import { ProvidersPart } from "./ProvidersPart"
import { accountsQuery } from "./queries"
import { useConnect } from "./useConnect"

const Confirm = lazy(() => import("../../ui/Confirm"))

/** The accounts that somebody has connected, and for administrators the providers at which people can. */
export default function ConnectionsPage() {
  const say = useTable(connectionsWords)
  const { me } = useAccount()
  const { data, error } = useQuery(accountsQuery)
  const [untold, setUntold] = useState<string>()
  if (!data) return <Pending error={error} />
  const { accounts, providers } = data
  const off = accounts.filter(({ provider }) => providers.every(({ id }) => id !== provider)) // an administrator has switched the provider off
  const rows = [...providers, ...off.map(({ provider }) => ({ id: provider, name: provider, scopes: [], off: true }))]
  return (
    <div className="space-y-8">
      <Section title={say("title")}>
        <div className="space-y-4">
          <p className="text-ink-2">{say("lead")}</p>
          {rows.length === 0 && <p className="text-ink-2">{say("none")}</p>}
          {untold && <Note tone="warn">{say("untold", { problem: untold })}</Note>}
          <ul aria-label={say("title")} className="divide-y divide-line">
            {rows.map((provider) => (
              <Row key={provider.id} provider={provider} account={accounts.find((account) => account.provider === provider.id)} onUntold={setUntold} />
            ))}
          </ul>
        </div>
      </Section>
      {me.user.role === "admin" && <ProvidersPart />}
    </div>
  )
}

interface RowProps {
  provider: Connectable & { off?: boolean }
  account?: OAuthAccount
  onUntold: (problem?: string) => void
}

function Row({ provider: { id, name, off }, account, onUntold }: RowProps) {
  const say = useTable(connectionsWords)
  const language = useLanguage()
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const connecting = useConnect(id)
  const leaving = useMutation({
    mutationFn: () => disconnectAccount(id),
    onSuccess: async (problem) => {
      onUntold(problem)
      await client.invalidateQueries({ queryKey: accountsQuery.queryKey })
    },
  })
  const failure = connecting.error ?? leaving.error
  const scopes = (account?.scopes ?? []).join(" ")
  const facts = account ? [say("since", { date: moment(language, account.connected_at) }), scopes && say("scopes", { scopes }), off && say("off")] : [say("notConnected")]
  return (
    <li aria-label={name} className="space-y-2 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-48 flex-1">
          <p className="font-medium break-words">
            {name}
            {account?.label && <span className="font-normal text-ink-2"> · {account.label}</span>}
          </p>
          <p className="text-small break-words text-ink-3">{facts.filter((fact) => fact).join(" · ")}</p>
          {account?.problem && <p className="text-small break-words text-danger">{say("problem", { problem: account.problem })}</p>}
        </div>
        <div className="flex flex-wrap gap-1">
          {!off && (
            <Button
              look={account && !account.problem ? "quiet" : undefined}
              aria-label={say(account ? "againLabel" : "connectLabel", { name })}
              disabled={connecting.isPending}
              onClick={() => connecting.mutate(window.open("about:blank", "_blank"))}
            >
              {say(account ? "again" : "connect")}
            </Button>
          )}
          {account && (
            <Button look="quiet" aria-label={say("disconnectLabel", { name })} disabled={leaving.isPending} onClick={() => setAsking(true)}>{say("disconnect")}</Button>
          )}
        </div>
      </div>
      {failure && <Note tone="danger">{failure.message}</Note>}
      <Suspense>
        {asking && (
          <Confirm
            title={say("disconnectTitle", { name })}
            text={say("disconnectText")}
            action={say("disconnect")}
            onClose={() => setAsking(false)}
            onConfirm={() => leaving.mutate()}
          />
        )}
      </Suspense>
    </li>
  )
}
