import { useInfiniteQuery } from "@tanstack/react-query"
import { useState } from "react"

import { useAccount } from "../../account/account"
import { listChanges, type SettingChange } from "../../api/preferences"
import { type PreferenceWord, preferenceWords } from "../../i18n/preferences"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { Pending } from "../../ui/Pending"
import { VersionHead } from "../../ui/VersionHead"

/** How many changes are read at once. */
const PAGE = 50

/** Who changed which setting, when, and what was before. */
export default function ChangesPage() {
  const say = useTable(preferenceWords)
  const { me } = useAccount()
  const [installation, setInstallation] = useState(false)
  return (
    <div className="space-y-4">
      <p className="text-ink-2">{say("changesLead")}</p>
      {me.user.role === "admin" && (
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={installation} onChange={({ target }) => setInstallation(target.checked)} />
          {say("installation")}
        </label>
      )}
      <List key={String(installation)} installation={installation} />
    </div>
  )
}

function List({ installation }: { installation: boolean }) {
  const say = useTable(preferenceWords)
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["changes", installation],
    queryFn: ({ pageParam }) => listChanges(installation, pageParam, PAGE),
    initialPageParam: 0,
    getNextPageParam: (last) => (last.length < PAGE ? undefined : last.at(-1)?.id),
  })
  if (!data) return <Pending error={error} />
  const changes = data.pages.flat()
  if (changes.length === 0) return <Note tone="plain">{say("empty")}</Note>
  return (
    <>
      <ol className="divide-y divide-line">
        {changes.map((change) => (
          <li key={change.id} className="py-2">
            <Change change={change} />
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {say("older")}
        </Button>
      )}
    </>
  )
}

function Change({ change }: { change: SettingChange }) {
  const say = useTable(preferenceWords)
  const { me } = useAccount()
  const named = (word: string, otherwise: string) => (word in preferenceWords.en ? say(word as PreferenceWord) : otherwise)
  const before = record(change.before)
  const after = record(change.after)
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return (
    <>
      <VersionHead
        version={{ ...change, changed_by: change.changed_by || say("nobody"), label: named(change.kind, change.kind), note: change.name }}
        facts={change.owner && change.owner !== me.user.name && change.owner !== change.name ? [change.owner] : []}
        mark={isNew(change.kind, before, after) ? say("made") : names.length > 0 && Object.keys(after).length === 0 ? say("removed") : undefined}
      />
      <ul className="mt-1 text-small text-ink-2">
        {names.map((name) => (
          <li key={name} className="break-words">
            <span className="text-ink-3">{named(`column_${name}`, name.replaceAll("_", " "))}</span> {say("became", { before: shown(before[name]), after: shown(after[name]) })}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Of a person, a first password is not the first that is known. */
const isNew = (kind: string, before: object, after: object) => Object.keys(before).length === 0 && (kind === "person" ? "name" in after : Object.keys(after).length > 0)

const record = (side: unknown): Record<string, unknown> => (typeof side === "object" && side !== null ? (side as Record<string, unknown>) : {})

/** A value on one line. */
function shown(value: unknown): string {
  if (value === undefined) return "–"
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
