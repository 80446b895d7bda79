import { useMutation, useQueryClient } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"

import { deleteRole, enableRole, type Role, roleFile } from "../../api/roles"
import { useLanguage } from "../../i18n"
import { moment } from "../../i18n/format"
import { type RoleWord, roleWords } from "../../i18n/roles"
import { type Say, useTable } from "../../i18n/table"
import { cx } from "../../lib/cx"
import { Button, buttonLook } from "../../ui/Button"
import { DownloadLink } from "../../ui/DownloadLink"
import { Note } from "../../ui/Note"
import { ALL_TOOLS } from "./draft"
import { rolesQuery } from "./queries"
import { RoleVersions } from "./RoleVersions"

const Confirm = lazy(() => import("../../ui/Confirm"))

interface Props {
  role: Role
  /** Changes one of the person's own, or makes one from another. */
  onOpen: () => void
}

function toolsOf(say: Say<RoleWord>, tools: string[]): string {
  if (tools.length === 1 && tools[0] === ALL_TOOLS) return say("everyTool")
  return tools.length === 0 ? say("noTools") : say("someTools", { tools: tools.join(", ") })
}

/** One role: whose it is, what it is for and has, and what can be done with it. */
export function RoleRow({ role, onOpen }: Props) {
  const say = useTable(roleWords)
  const language = useLanguage()
  const [versions, setVersions] = useState(false)
  const { name, source, enabled, replaced, description, model, tools, changed_by, changed_at } = role
  const facts = [model ?? "", toolsOf(say, tools), changed_by && say("changed", { who: changed_by, date: moment(language, changed_at) })]
  return (
    <li aria-label={`${name} (${say(source)})`} className="space-y-2 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-48 flex-1">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium break-words">{name}</span>
            <span className={cx("text-small", source === "own" ? "text-accent" : "text-ink-3")}>{say(source)}</span>
            {!enabled && <span className="text-small text-ink-3">{say("off")}</span>}
            {replaced && <span className="text-small text-ink-3">{say("replaced")}</span>}
          </p>
          <p className="text-small break-words text-ink-2">{description}</p>
          <p className="text-small break-words text-ink-3">{facts.filter((fact) => fact).join(" · ")}</p>
        </div>
        <Actions role={role} versions={versions} onVersions={() => setVersions(!versions)} onOpen={onOpen} />
      </div>
      {versions && <RoleVersions role={role} />}
    </li>
  )
}

interface ActionsProps extends Props {
  versions: boolean
  onVersions: () => void
}

function Actions({ role, versions, onVersions, onOpen }: ActionsProps) {
  const say = useTable(roleWords)
  const client = useQueryClient()
  const again = () => client.invalidateQueries({ queryKey: rolesQuery.queryKey })
  const turning = useMutation({ mutationFn: () => enableRole(role, !role.enabled), onSuccess: again })
  const { name } = role
  const turn = role.enabled ? "turnOff" : "turnOn"
  const own = role.source === "own"
  return (
    <div className="flex flex-wrap gap-1">
      <Button look="quiet" aria-label={say(own ? "editLabel" : "copyLabel", { name })} onClick={onOpen}>{say(own ? "edit" : "copy")}</Button>
      <Button look="quiet" aria-label={say(`${turn}Label`, { name })} disabled={turning.isPending} onClick={() => turning.mutate()}>{say(turn)}</Button>
      {own && (
        <>
          <Button look="quiet" aria-label={say("versionsLabel", { name })} aria-expanded={versions} onClick={onVersions}>{say("versions")}</Button>
          <DownloadLink href={roleFile(role.id)} download={`${name}.md`} aria-label={say("downloadLabel", { name })} className={buttonLook("quiet")}>{say("download")}</DownloadLink>
          <Remove role={role} onGone={again} />
        </>
      )}
      {turning.error && <Note tone="danger" className="w-full">{turning.error.message}</Note>}
    </div>
  )
}

function Remove({ role: { id, name }, onGone }: { role: Role; onGone: () => Promise<void> }) {
  const say = useTable(roleWords)
  const [asking, setAsking] = useState(false)
  const removal = useMutation({ mutationFn: () => deleteRole(id), onSuccess: onGone })
  return (
    <>
      <Button look="quiet" aria-label={say("removeLabel", { name })} onClick={() => setAsking(true)}>{say("remove")}</Button>
      {removal.error && <Note tone="danger" className="w-full">{removal.error.message}</Note>}
      <Suspense>
        {asking && <Confirm title={say("removeTitle", { name })} text={say("removeText")} action={say("remove")} onClose={() => setAsking(false)} onConfirm={() => removal.mutate()} />}
      </Suspense>
    </>
  )
}
