import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type SubmitEvent, useCallback, useState } from "react"

import { createAccount, type Role } from "../../api/people"
import { accountsWords } from "../../i18n/accounts"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Field } from "../../ui/Field"
import { LinkNote } from "../../ui/LinkNote"
import { Note } from "../../ui/Note"
import { Section } from "../../ui/Section"
import { AccountRow } from "./AccountRow"
import { accountsQuery } from "./queries"
import { RoleField } from "./RoleField"
import { useDeletionEnds } from "./useDeletion"

/** Who has an account, and a form to add one. */
export function Accounts() {
  const say = useTable(accountsWords)
  const { data, error } = useQuery(accountsQuery)
  const ended = useCallback((name: string) => say("removed", { name }), [say])
  useDeletionEnds(data, ended)
  return (
    <Section title={say("title")}>
      {error && <Note tone="danger">{error.message}</Note>}
      <ul className="divide-y divide-line">
        {data?.map((account) => (
          <AccountRow key={account.id} account={account} />
        ))}
      </ul>
      <NewAccount />
    </Section>
  )
}

function NewAccount() {
  const say = useTable(accountsWords)
  const client = useQueryClient()
  const [name, setName] = useState("")
  const [role, setRole] = useState<Role>("member")
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: createAccount,
    onSuccess: async () => {
      setName("")
      await client.invalidateQueries(accountsQuery)
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (name.trim() !== "" && !isPending) mutate({ name: name.trim(), role })
  }
  return (
    <>
      <form className="mt-3 flex flex-wrap items-end gap-2" onSubmit={submit}>
        <Field className="min-w-40 flex-1" label={say("name")} value={name} onChange={({ target }) => setName(target.value)} minLength={2} maxLength={64} required />
        <RoleField value={role} onChange={setRole} />
        <Button type="submit" className="h-10" aria-disabled={isPending}>
          {isPending ? say("adding") : say("add")}
        </Button>
      </form>
      {error && <Note tone="danger" className="mt-3">{error.message}</Note>}
      {data && <LinkNote text={say("added", { name: data.name })} link={data.link} />}
    </>
  )
}
