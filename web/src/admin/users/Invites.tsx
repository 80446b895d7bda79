import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type SubmitEvent, useState } from "react"

import { createInvite, type Invite, type Role, withdrawInvite } from "../../api/people"
import { useLanguage } from "../../i18n"
import { accountsWords } from "../../i18n/accounts"
import { moment } from "../../i18n/format"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Field } from "../../ui/Field"
import { LinkNote } from "../../ui/LinkNote"
import { Note } from "../../ui/Note"
import { Section } from "../../ui/Section"
import { invitesQuery } from "./queries"
import { RoleField } from "./RoleField"

/** The links by which somebody can still come, and a form to make one. */
export function Invites() {
  const say = useTable(accountsWords)
  const { data, error } = useQuery(invitesQuery)
  return (
    <Section title={say("invites")}>
      {error && <Note tone="danger">{error.message}</Note>}
      {data?.length === 0 && <p className="py-2 text-ink-2">{say("noInvites")}</p>}
      <ul className="divide-y divide-line">
        {data?.map((invite) => (
          <Row key={invite.id} invite={invite} />
        ))}
      </ul>
      <NewInvite />
    </Section>
  )
}

function Row({ invite }: { invite: Invite }) {
  const say = useTable(accountsWords)
  const language = useLanguage()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({ mutationFn: () => withdrawInvite(invite.id), onSuccess: () => client.invalidateQueries(invitesQuery) })
  const name = invite.note || say("anybody")
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
      <span className="min-w-48 flex-1">
        <span className="block font-medium break-words">{name}</span>
        <span className="block text-small text-ink-3">
          {say("inviteFacts", { role: say(invite.role), used: invite.used, uses: invite.uses, date: moment(language, invite.expires_at) })}
        </span>
      </span>
      <Button look="quiet" aria-label={say("withdrawLabel", { name })} disabled={isPending} onClick={() => mutate()}>
        {say("withdraw")}
      </Button>
      {error && <Note tone="danger" className="w-full text-small">{error.message}</Note>}
    </li>
  )
}

function NewInvite() {
  const say = useTable(accountsWords)
  const client = useQueryClient()
  const [note, setNote] = useState("")
  const [role, setRole] = useState<Role>("member")
  const [uses, setUses] = useState(1)
  const [days, setDays] = useState(7)
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: createInvite,
    onSuccess: async () => {
      setNote("")
      await client.invalidateQueries(invitesQuery)
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!isPending) mutate({ note: note.trim(), role, uses, days })
  }
  return (
    <>
      <form className="mt-3 flex flex-wrap items-end gap-2" onSubmit={submit}>
        <Field className="min-w-40 flex-1" label={say("note")} value={note} onChange={({ target }) => setNote(target.value)} maxLength={128} />
        <RoleField value={role} onChange={setRole} />
        <Field className="w-36" label={say("uses")} type="number" min={1} max={1000} required value={uses} onChange={({ target }) => setUses(target.valueAsNumber || 1)} />
        <Field className="w-20" label={say("days")} type="number" min={1} max={90} required value={days} onChange={({ target }) => setDays(target.valueAsNumber || 1)} />
        <Button type="submit" className="h-10" aria-disabled={isPending}>
          {isPending ? say("inviting") : say("invite")}
        </Button>
      </form>
      {error && <Note tone="danger" className="mt-3">{error.message}</Note>}
      {data && <LinkNote text={say("invited")} link={data.link} />}
    </>
  )
}
