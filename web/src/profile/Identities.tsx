import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"

import { createLinkCode, type Identity, listIdentities, unlinkIdentity } from "../api/policy"
import { channelName } from "../channels/place"
import { useT } from "../i18n"
import { linkWords } from "../i18n/links"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { CopyButton } from "../ui/CopyButton"
import { Note } from "../ui/Note"

const Confirm = lazy(() => import("../ui/Confirm"))

const identitiesKey = ["identities"]

/** How a person shows on another channel that both are the same. */
export default function Identities() {
  const t = useT()
  const { mutate, data, error, isPending } = useMutation({ mutationFn: createLinkCode })
  const { data: known = [] } = useQuery({ queryKey: identitiesKey, queryFn: listIdentities, retry: false })
  const line = data && `/link ${data.code}`
  return (
    <div className="space-y-4">
      <p className="text-ink-2">{t("identities.lead")}</p>
      {known.length > 0 && (
        <ul aria-label={t("identities.known")} className="divide-y divide-line">
          {known.map((identity) => (
            <IdentityRow key={`${identity.channel} ${identity.account ?? ""} ${identity.peer}`} identity={identity} />
          ))}
        </ul>
      )}
      {error && <Note tone="danger">{error.message}</Note>}
      {line && (
        <div role="status" className="space-y-2 rounded-md bg-accent-soft px-3 py-2.5">
          <p>{t("identities.send")}</p>
          <p className="flex items-center gap-1 rounded-md bg-canvas py-1 pr-1 pl-3">
            <code className="min-w-0 flex-1 font-mono break-words">{line}</code>
            <CopyButton text={line} label={t("common.copy")} />
          </p>
          <p className="text-small text-ink-2">
            {t("identities.once")} {t("identities.until", { count: Math.round(data.expires_in / 60) })}
          </p>
        </div>
      )}
      <Button aria-disabled={isPending} onClick={() => mutate()}>
        {t(isPending ? "identities.creating" : "identities.create")}
      </Button>
    </div>
  )
}

function IdentityRow({ identity }: { identity: Identity }) {
  const t = useT()
  const say = useTable(linkWords)
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => unlinkIdentity(identity),
    onSuccess: () => client.invalidateQueries({ queryKey: identitiesKey }),
  })
  const name = channelName(t, identity.channel)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <span className="min-w-48 flex-1 break-words">
        <span className="font-medium">{name}</span> <span className="font-mono text-[0.75rem] text-ink-3">{identity.peer}</span>
      </span>
      <Button look="quiet" aria-label={say("unlinkIdentity", { name, peer: identity.peer })} aria-disabled={isPending} onClick={() => setAsking(true)}>
        {say("unlink")}
      </Button>
      {error && <Note tone="danger" className="w-full text-small">{error.message}</Note>}
      <Suspense>
        {asking && <Confirm title={say("unlinkIdentityTitle", { name })} text={say("unlinkIdentityText")} action={say("unlink")} onClose={() => setAsking(false)} onConfirm={() => mutate()} />}
      </Suspense>
    </li>
  )
}
