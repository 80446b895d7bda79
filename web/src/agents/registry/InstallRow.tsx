import { useMutation, useQueryClient } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"

import { type Install, installEntry, installFile, switchInstall, uninstall } from "../../api/registry"
import { registryWords } from "../../i18n/registry"
import { useTable } from "../../i18n/table"
import { Button, buttonLook } from "../../ui/Button"
import { DownloadLink } from "../../ui/DownloadLink"
import { Note } from "../../ui/Note"
import { registryKey } from "./queries"

const Confirm = lazy(() => import("../../ui/Confirm"))

/** One skill or role that is installed, and what can be done with it. */
export function InstallRow({ install, changes }: { install: Install; changes: boolean }) {
  const say = useTable(registryWords)
  const { name, kind, shared, enabled, disabled, number, newest, owner } = install
  const facts = [say(kind), say("version", { number }), owner ? say("by", { owner }) : say("gone"), shared && say("forAll")]
  return (
    <li aria-label={name} className="flex flex-wrap items-start gap-x-3 gap-y-2 py-3">
      <div className="min-w-48 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium break-words">{name}</span>
          {disabled ? <span className="text-small text-danger">{say("disabled")}</span> : !enabled && <span className="text-small text-ink-3">{say("off")}</span>}
          {newest > number && <span className="text-small text-accent">{say("newer", { number: newest })}</span>}
        </p>
        <p className="text-small break-words text-ink-2">{install.description}</p>
        <p className="text-small break-words text-ink-3">{facts.filter((fact) => fact).join(" · ")}</p>
      </div>
      <Actions install={install} changes={changes} />
    </li>
  )
}

function Actions({ install, changes }: { install: Install; changes: boolean }) {
  const say = useTable(registryWords)
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const { id, name, entry, number, newest, shared, enabled } = install
  const acting = useMutation({ mutationFn: (act: () => Promise<unknown>) => act(), onSuccess: () => client.invalidateQueries({ queryKey: registryKey }) })
  const turn = enabled ? "turnOff" : "turnOn"
  return (
    <div className="flex flex-wrap gap-1">
      {changes && newest > number && (
        <Button aria-label={say("updateLabel", { name })} disabled={acting.isPending} onClick={() => acting.mutate(() => installEntry(entry, newest, shared))}>{say("update")}</Button>
      )}
      {changes && <Button look="quiet" aria-label={say(`${turn}Label`, { name })} disabled={acting.isPending} onClick={() => acting.mutate(() => switchInstall(install, !enabled))}>{say(turn)}</Button>}
      <DownloadLink href={installFile(id)} download={`${name}.zip`} aria-label={say("exportLabel", { name })} className={buttonLook("quiet")}>{say("export")}</DownloadLink>
      {changes && <Button look="quiet" aria-label={say("uninstallLabel", { name })} onClick={() => setAsking(true)}>{say("uninstall")}</Button>}
      {acting.error && <Note tone="danger" className="w-full">{acting.error.message}</Note>}
      <Suspense>
        {asking && <Confirm title={say("uninstallTitle", { name })} text={say("uninstallText")} action={say("uninstall")} onClose={() => setAsking(false)} onConfirm={() => acting.mutate(() => uninstall(install))} />}
      </Suspense>
    </div>
  )
}
