import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"

import { type Entry, type FileText, installEntry, readEntryFile, type Version, versionFile } from "../../api/registry"
import { useLanguage, useT } from "../../i18n"
import { moment } from "../../i18n/format"
import { registryWords } from "../../i18n/registry"
import { useTable } from "../../i18n/table"
import { Button, buttonLook } from "../../ui/Button"
import { DownloadLink } from "../../ui/DownloadLink"
import { Note } from "../../ui/Note"
import { entryQuery, registryKey } from "./queries"

/** What is in a version of an entry, and which versions there are. Strangers wrote it: it is shown as text. Where the version is gone, it is the newest. */
export function EntryContents({ entry: { id, name, version, own, visibility, withdrawn }, number }: { entry: Entry; number: number }) {
  const t = useT()
  const say = useTable(registryWords)
  const asked = useQuery({ ...entryQuery(id, number), retry: false })
  const newest = useQuery({ ...entryQuery(id, version.number), enabled: asked.isError })
  const { data, error } = asked.isError ? newest : asked
  const [other, setOther] = useState<FileText>()
  const reading = useMutation({ mutationFn: (file: string) => readEntryFile(id, data?.shown ?? number, file), onSuccess: setOther })
  if (error) return <Note tone="danger">{error.message}</Note>
  if (!data) return <p className="text-small text-ink-3">{t("app.loading")}</p>
  const offered = withdrawn !== "administrator" && (own || (withdrawn === "" && visibility === "everybody"))
  const shown = other ?? data.main
  return (
    <div className="space-y-3 rounded-lg border border-line p-3">
      <p className="text-small text-ink-3">{say("filesOf", { number: data.shown })}</p>
      <ul aria-label={say("files", { name })} className="flex flex-wrap gap-1">
        {data.files?.map((file) => (
          <li key={file.name} className="max-w-full">
            <button
              type="button"
              aria-pressed={shown.name === file.name}
              onClick={() => reading.mutate(file.name)}
              className="max-w-full rounded-md border border-line px-2 py-1 text-left font-mono text-small break-all transition-colors hover:bg-hover aria-pressed:border-accent"
            >
              {file.name} · {file.size} B{file.executable && ` · ${say("executable")}`}
            </button>
          </li>
        ))}
      </ul>
      {reading.error && <Note tone="danger">{reading.error.message}</Note>}
      {shown.binary ? (
        <p className="text-small text-ink-3">{say("binary")}</p>
      ) : (
        <pre aria-label={shown.name} tabIndex={0} className="max-h-80 overflow-auto rounded-md bg-sunken p-3 font-mono text-small break-words whitespace-pre-wrap">
          {shown.text}
        </pre>
      )}
      {shown.cut && <p className="text-small text-ink-3">{say("cut")}</p>}
      <h4 className="text-small text-ink-3">{say("versions")}</h4>
      <ul className="divide-y divide-line">
        {data.versions?.map((one) => (
          <VersionRow key={one.number} id={id} name={name} version={one} offered={offered} />
        ))}
      </ul>
    </div>
  )
}

interface VersionProps {
  id: number
  name: string
  version: Version
  offered: boolean
}

function VersionRow({ id, name, version: { number, notes, published_at }, offered }: VersionProps) {
  const say = useTable(registryWords)
  const language = useLanguage()
  const client = useQueryClient()
  const installing = useMutation({ mutationFn: () => installEntry(id, number, false), onSuccess: () => client.invalidateQueries({ queryKey: registryKey }) })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1">
      <span className="min-w-40 flex-1 text-small break-words">
        {say("version", { number })} · {moment(language, published_at)}
        {notes && ` · ${notes}`}
      </span>
      {offered && <Button look="quiet" aria-label={say("versionInstallLabel", { number, name })} disabled={installing.isPending} onClick={() => installing.mutate()}>{say("versionInstall")}</Button>}
      <DownloadLink href={versionFile(id, number)} download={`${name}.zip`} aria-label={say("versionExportLabel", { number, name })} className={buttonLook("quiet")}>{say("export")}</DownloadLink>
      {installing.error && <Note tone="danger" className="w-full">{installing.error.message}</Note>}
    </li>
  )
}
