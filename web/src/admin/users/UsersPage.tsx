import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { lazy, type ReactNode, Suspense, useState } from "react"

import { answerPairing, type Grant, listGrants, listPairings, type Pairing, type Peer, revokeGrant } from "../../api/policy"
import { channelName } from "../../channels/place"
import { useLanguage, useT } from "../../i18n"
import { moment } from "../../i18n/format"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { Accounts } from "./Accounts"
import { Invites } from "./Invites"
import { OtherConversations } from "./OtherConversations"

const Confirm = lazy(() => import("../../ui/Confirm"))

const pairingsKey = ["pairings"]
const grantsKey = ["grants"]

/** Milliseconds between two looks at who waits, while somebody looks. */
const LOOK = 5_000

const nameOf = ({ name, peer }: Peer): string => name || peer

/** Who has an account, was invited, waits or was let in on a platform, and the conversations of others. */
export default function UsersPage() {
  const t = useT()
  const pairings = useQuery({ queryKey: pairingsKey, queryFn: listPairings, refetchInterval: LOOK })
  const grants = useQuery({ queryKey: grantsKey, queryFn: listGrants })
  const error = pairings.error ?? grants.error
  return (
    <div className="space-y-6">
      {error && <Note tone="danger">{error.message}</Note>}
      <Accounts />
      <Invites />
      <List title={t("people.pairings")} empty={t("people.noPairings")} known={pairings.data !== undefined}>
        {pairings.data?.map((pairing) => <PairingRow key={pairing.code} pairing={pairing} />)}
      </List>
      <List title={t("people.grants")} empty={t("people.noGrants")} known={grants.data !== undefined}>
        {grants.data?.map((grant) => <GrantRow key={`${grant.channel} ${grant.account} ${grant.peer}`} grant={grant} />)}
      </List>
      <OtherConversations />
    </div>
  )
}

function List({ title, empty, known, children }: { title: string; empty: string; known: boolean; children?: ReactNode[] }) {
  return (
    <section aria-label={title}>
      <h3 className="text-small text-ink-3">{title}</h3>
      {known && (children === undefined || children.length === 0) ? <p className="py-2 text-ink-2">{empty}</p> : <ul className="divide-y divide-line">{children}</ul>}
    </section>
  )
}

function Row({ peer, facts, children }: { peer: Peer; facts: string; children: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
      <span aria-hidden className="grid size-8 shrink-0 place-items-center rounded-full bg-accent-soft font-semibold text-accent uppercase">
        {Array.from(nameOf(peer))[0]}
      </span>
      <span className="min-w-48 flex-1">
        <span className="block font-medium break-words">
          {nameOf(peer)} {peer.name !== "" && <span className="font-mono text-[0.75rem] font-normal text-ink-3">{peer.peer}</span>}
        </span>
        <span className="block text-small break-words text-ink-3">{facts}</span>
      </span>
      {children}
    </li>
  )
}

function PairingRow({ pairing }: { pairing: Pairing }) {
  const t = useT()
  const language = useLanguage()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: (approve: boolean) => answerPairing(pairing.code, approve),
    onSuccess: () => Promise.all([pairingsKey, grantsKey].map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
  const name = nameOf(pairing)
  const facts = t("people.wrote", {
    channel: channelName(t, pairing.channel), code: pairing.code, date: moment(language, pairing.created_at), until: moment(language, pairing.expires_at),
  })
  return (
    <Row peer={pairing} facts={facts}>
      <span className="flex gap-2">
        <Button look="quiet" aria-label={t("people.refuseLabel", { name })} disabled={isPending} onClick={() => mutate(false)}>
          {t("people.refuse")}
        </Button>
        <Button look="primary" aria-label={t("people.approveLabel", { name })} disabled={isPending} onClick={() => mutate(true)}>
          {t("people.approve")}
        </Button>
      </span>
      {error && <Note tone="danger" className="w-full text-small">{error.message}</Note>}
    </Row>
  )
}

function GrantRow({ grant }: { grant: Grant }) {
  const t = useT()
  const language = useLanguage()
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => revokeGrant(grant),
    onSuccess: () => client.invalidateQueries({ queryKey: grantsKey }),
  })
  const name = nameOf(grant)
  const told = { channel: channelName(t, grant.channel), date: moment(language, grant.created_at) }
  const facts = grant.granted_by ? t("people.grantedBy", { ...told, who: grant.granted_by }) : t("people.granted", told)
  return (
    <Row peer={grant} facts={facts}>
      <Button look="quiet" aria-label={t("people.revokeLabel", { name })} disabled={isPending} onClick={() => setAsking(true)}>
        {t("people.revoke")}
      </Button>
      {error && <Note tone="danger" className="w-full text-small">{error.message}</Note>}
      <Suspense>
        {asking && (
          <Confirm title={t("people.revokeTitle", { name })} text={t("people.revokeText")} action={t("people.revoke")} onClose={() => setAsking(false)} onConfirm={() => mutate()} />
        )}
      </Suspense>
    </Row>
  )
}
