import { useMutation, useQueryClient } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"

import { deleteEntry, type Entry, type Install, installEntry, reviseEntry } from "../../api/registry"
import { registryWords } from "../../i18n/registry"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { EntryContents } from "./EntryContents"
import { registryKey } from "./queries"

const Confirm = lazy(() => import("../../ui/Confirm"))

interface Props {
  entry: Entry
  /** Where it is installed, of what the person sees. */
  installs: Install[]
  admin: boolean
}

/** One published skill or role: whose it is, what is in it, and what can be done with it. */
export function EntryRow({ entry, installs, admin }: Props) {
  const say = useTable(registryWords)
  const [inside, setInside] = useState(false)
  const { name, kind, owner, own, visibility, withdrawn, version, installed, tags } = entry
  const state = withdrawn === "administrator" ? say("byAdmin") : withdrawn === "owner" ? say("byOwner") : own ? say(visibility) : ""
  const held = installs.find(({ shared }) => !shared) ?? installs[0]
  const shown = held?.number ?? version.number
  const facts = [say(kind), say("version", { number: version.number }), say("by", { owner }), installed > 0 && say("people", { count: installed }), (tags ?? []).join(", ")]
  return (
    <li aria-label={`${name} (${owner})`} className="space-y-2 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-48 flex-1">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium break-words">{name}</span>
            {state && <span className="text-small text-ink-3">{state}</span>}
          </p>
          <p className="text-small break-words text-ink-2">{entry.description}</p>
          <p className="text-small break-words text-ink-3">{facts.filter((fact) => fact).join(" · ")}</p>
        </div>
        <div className="flex flex-wrap gap-1">
          <Button look="quiet" aria-label={say("lookLabel", { name })} aria-expanded={inside} onClick={() => setInside(!inside)}>{say("look")}</Button>
          <Actions entry={entry} installs={installs} admin={admin} />
        </div>
      </div>
      {inside && <EntryContents key={shown} entry={entry} number={shown} />}
    </li>
  )
}

interface Question {
  title: string
  text: string
  action: string
  act: () => Promise<unknown>
}

function Actions({ entry, installs, admin }: Props) {
  const say = useTable(registryWords)
  const client = useQueryClient()
  const [asked, setAsked] = useState<Question>()
  const acting = useMutation({ mutationFn: (act: () => Promise<unknown>) => act(), onSuccess: () => client.invalidateQueries({ queryKey: registryKey }) })
  const { id, name, own, visibility, withdrawn, version } = entry
  const offered = withdrawn !== "administrator" && (own || (withdrawn === "" && visibility === "everybody")) // administrators see others besides
  const does = (act: () => Promise<unknown>) => () => acting.mutate(act)
  const words = { name }
  return (
    <>
      {offered && !installs.some(({ shared }) => !shared) && (
        <Button aria-label={say("installLabel", words)} disabled={acting.isPending} onClick={does(() => installEntry(id, version.number, false))}>{say("install")}</Button>
      )}
      {admin && offered && !installs.some(({ shared }) => shared) && (
        <Button look="quiet" aria-label={say("installAllLabel", words)} disabled={acting.isPending} onClick={does(() => installEntry(id, version.number, true))}>{say("installAll")}</Button>
      )}
      {own && withdrawn === "" && visibility === "private" && <Button look="quiet" aria-label={say("shareLabel", words)} onClick={does(() => reviseEntry(id, { visibility: "everybody" }))}>{say("share")}</Button>}
      {own && withdrawn === "" && visibility === "everybody" && <Button look="quiet" aria-label={say("keepLabel", words)} onClick={does(() => reviseEntry(id, { visibility: "private" }))}>{say("keep")}</Button>}
      {admin && !own && withdrawn !== "administrator" && (
        <Button
          look="quiet"
          aria-label={say("withdrawLabel", words)}
          onClick={() => setAsked({ title: say("withdrawTitle", words), text: say("withdrawAllText"), action: say("withdraw"), act: () => reviseEntry(id, { withdrawn: true }) })}
        >
          {say("withdraw")}
        </Button>
      )}
      {(withdrawn === "administrator" ? admin : own && withdrawn === "owner") && <Button look="quiet" aria-label={say("backLabel", words)} onClick={does(() => reviseEntry(id, { withdrawn: false }))}>{say("back")}</Button>}
      {own && withdrawn !== "administrator" && (
        <Button
          look="quiet"
          aria-label={say("removeLabel", words)}
          onClick={() => setAsked({ title: say("removeTitle", words), text: say("removeText"), action: say("remove"), act: () => deleteEntry(id) })}
        >
          {say("remove")}
        </Button>
      )}
      {acting.error && <Note tone="danger" className="w-full">{acting.error.message}</Note>}
      <Suspense>{asked && <Confirm {...asked} onClose={() => setAsked(undefined)} onConfirm={does(asked.act)} />}</Suspense>
    </>
  )
}
