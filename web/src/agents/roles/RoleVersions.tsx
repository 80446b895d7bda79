import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"

import { type Role, type RoleVersion, rollRoleBack } from "../../api/roles"
import { useLanguage } from "../../i18n"
import { fullMoment, moment } from "../../i18n/format"
import { roleWords } from "../../i18n/roles"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Disclosure } from "../../ui/Disclosure"
import { Note } from "../../ui/Note"
import { Pending } from "../../ui/Pending"
import { Diff } from "../../ui/text/Diff"
import { linesOf } from "./draft"
import { rolesQuery, roleVersionsQuery } from "./queries"

/** What a role was after each change, who made it and when, and the way back. */
export function RoleVersions({ role }: { role: Role }) {
  const say = useTable(roleWords)
  const { data, error } = useQuery(roleVersionsQuery(role.id, role.revision))
  if (!data) return <Pending error={error} />
  return (
    <ol aria-label={say("versionsLabel", { name: role.name })} className="divide-y divide-line">
      {data.map((version, n) => (
        <li key={version.revision}>
          <Version role={role} version={version} before={data[n + 1]} />
        </li>
      ))}
    </ol>
  )
}

function Version({ role, version, before }: { role: Role; version: RoleVersion; before?: RoleVersion }) {
  const say = useTable(roleWords)
  const language = useLanguage()
  const client = useQueryClient()
  const { revision, changed_at, changed_by } = version
  const back = useMutation({
    mutationFn: () => rollRoleBack(role.id, revision, role.revision),
    onSuccess: () => client.invalidateQueries({ queryKey: rolesQuery.queryKey }),
  })
  const inForce = revision === role.revision
  const head = () => (
    <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3">
      <span className="font-medium tabular-nums">{say("version", { version: revision })}</span>
      <span className="min-w-0 flex-1 break-words text-ink-3" title={fullMoment(language, changed_at)}>
        {[changed_by, moment(language, changed_at)].filter((part) => part).join(", ")}
      </span>
      {inForce && <span className="rounded-full bg-accent-soft px-2 text-accent">{say("inForce")}</span>}
    </span>
  )
  return (
    <Disclosure head={head}>
      <div className="space-y-2">
        <Diff label={say("change", { version: revision })} before={before ? linesOf(before) : ""} after={linesOf(version)} />
        {!inForce && <Button disabled={back.isPending} onClick={() => back.mutate()}>{say("bringBack")}</Button>}
        {back.error && <Note tone="danger">{back.error.message}</Note>}
      </div>
    </Disclosure>
  )
}
