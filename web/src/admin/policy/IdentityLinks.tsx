import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"

import { type IdentityLink, listIdentityLinks, removeIdentityLink } from "../../api/policy"
import { linkWords } from "../../i18n/links"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Disclosure } from "../../ui/Disclosure"
import { Note } from "../../ui/Note"
import { linksKey } from "./usePolicy"

const Confirm = lazy(() => import("../../ui/Confirm"))

interface TransfersProps {
  links: IdentityLink[]
  confirmed: string[]
  onConfirm: (name: string, yes: boolean) => void
}

/** Accounts that the document gives to other ids: each has to be confirmed before it can be saved. */
export function Transfers({ links, confirmed, onConfirm }: TransfersProps) {
  const say = useTable(linkWords)
  if (links.length === 0) return null
  return (
    <section aria-label={say("transfers")} className="space-y-2 rounded-md bg-warn-soft px-3 py-2.5">
      {links.map(({ name, account, conversations, ids }) => (
        <label key={name} className="flex items-baseline gap-2">
          <input type="checkbox" checked={confirmed.includes(name)} onChange={(event) => onConfirm(name, event.target.checked)} />
          <span className="min-w-0 break-words">{say("transfer", { name, account, count: conversations, ids: ids.join(", ") })}</span>
        </label>
      ))}
    </section>
  )
}

/** The names of identityLinks that have an account. */
export function IdentityLinks() {
  const say = useTable(linkWords)
  const { data: links = [], error } = useQuery({ queryKey: linksKey, queryFn: listIdentityLinks })
  if (error) return <Note tone="danger">{error.message}</Note>
  if (links.length === 0) return null
  return (
    <Disclosure className="-mx-2 border-t border-line pt-2" head={() => <span className="font-medium text-ink-2">{say("links")}</span>}>
      <ul aria-label={say("links")} className="divide-y divide-line px-2">
        {links.map((link) => (
          <LinkRow key={link.name} link={link} />
        ))}
      </ul>
    </Disclosure>
  )
}

function LinkRow({ link: { name, account, conversations, ids } }: { link: IdentityLink }) {
  const say = useTable(linkWords)
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => removeIdentityLink(name),
    onSuccess: () => client.invalidateQueries({ queryKey: linksKey }),
  })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <span className="min-w-48 flex-1 break-words">
        <span className="font-medium">{name}</span> <span className="font-mono text-[0.75rem] text-ink-3">{ids.join(", ")}</span>
        <span className="block text-small text-ink-3">{say("account", { account, count: conversations })}</span>
      </span>
      <Button look="quiet" aria-label={say("unlinkName", { name })} aria-disabled={isPending} onClick={() => setAsking(true)}>
        {say("unlink")}
      </Button>
      {error && <Note tone="danger" className="w-full text-small">{error.message}</Note>}
      <Suspense>
        {asking && <Confirm title={say("unlinkNameTitle", { name })} text={say("unlinkNameText")} action={say("unlink")} onClose={() => setAsking(false)} onConfirm={() => mutate()} />}
      </Suspense>
    </li>
  )
}
