import { useMutation, useQuery } from "@tanstack/react-query"
import { Check, CornerLeftUp, Download, FileText, Folder as FolderIcon, Link2, RotateCw } from "lucide-react"
import { useState } from "react"

import { linkFile, readFolder } from "../../api/calls"
import { contentAddress } from "../../api/files"
import type { FileEntry } from "../../api/types"
import { useLanguage, useT } from "../../i18n"
import { bytes } from "../../i18n/format"
import { DownloadLink } from "../../ui/DownloadLink"
import { IconButton } from "../../ui/IconButton"
import { Section } from "../../ui/Section"
import { toast } from "../../ui/toasts"
import { copyText } from "../../ui/useCopy"
import { useConversationContext } from "../shared/context"

/** The files where the conversation works: folders to walk through, files to download or to pass on by a link. */
export default function FilesSection() {
  const t = useT()
  const { sessionKey } = useConversationContext()
  const [path, setPath] = useState("")
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["files", sessionKey, path],
    queryFn: () => readFolder(sessionKey, path),
    staleTime: 0,
    retry: false,
  })
  return (
    <Section title={t("files.title")}>
      <div className="mb-1 flex items-center gap-1">
        <p className="min-w-0 flex-1 truncate font-mono text-[0.75rem] text-ink-2" dir="rtl">
          <bdi>{data?.path ?? path}</bdi>
        </p>
        {data?.parent !== undefined && data.parent !== "" && (
          <IconButton small label={t("files.up")} onClick={() => setPath(data.parent ?? "")}>
            <CornerLeftUp size={15} aria-hidden />
          </IconButton>
        )}
        <IconButton small label={t("files.reload")} aria-disabled={isFetching} onClick={() => void refetch()}>
          <RotateCw size={15} aria-hidden />
        </IconButton>
      </div>
      {error && <p className="text-small break-words text-danger">{error.message}</p>}
      {!error && data?.entries.length === 0 && <p className="text-small text-ink-3">{t("files.empty")}</p>}
      {!error && (
        <ul className="text-small">
          {data?.entries.map((entry) => (
            <li key={entry.path} className="group flex min-h-8 items-center gap-1">
              {entry.dir ? <FolderRow entry={entry} onOpen={() => setPath(entry.path)} /> : <FileRow entry={entry} />}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function FolderRow({ entry, onOpen }: { entry: FileEntry; onOpen: () => void }) {
  return (
    <button type="button" onClick={onOpen} className="-mx-1.5 flex min-h-8 min-w-0 flex-1 items-center gap-2 rounded-md px-1.5 text-left hover:bg-hover">
      <FolderIcon size={15} aria-hidden className="shrink-0 text-ink-3" />
      <span className="truncate">{entry.name}/</span>
    </button>
  )
}

function FileRow({ entry }: { entry: FileEntry }) {
  const t = useT()
  const language = useLanguage()
  const { sessionKey, openFile } = useConversationContext()
  return (
    <>
      <FileText size={15} aria-hidden className="mr-1 shrink-0 text-ink-3" />
      <button type="button" onClick={() => openFile(entry.path)} className="min-w-0 flex-1 truncate rounded-md text-left hover:underline">
        {entry.name}
      </button>
      <span className="shrink-0 text-ink-3 tabular-nums">{bytes(language, entry.size)}</span>
      <CopyLink path={entry.path} name={entry.name} />
      <DownloadLink
        href={contentAddress(sessionKey, entry.path)}
        download={entry.name}
        aria-label={t("files.download", { name: entry.name })}
        data-tip={t("files.download", { name: entry.name })}
        className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-ink-2 hover:bg-hover hover:text-ink"
      >
        <Download size={15} aria-hidden />
      </DownloadLink>
    </>
  )
}

/** Makes a link that works without signing in, for a day, and copies it. */
function CopyLink({ path, name }: { path: string; name: string }) {
  const t = useT()
  const { sessionKey } = useConversationContext()
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: async () => {
      const { url } = await linkFile(sessionKey, path)
      const whole = new URL(url, location.origin).href
      toast((await copyText(whole)) ? t("files.linkCopied") : whole)
    },
    onError: (error) => toast(error.message),
  })
  return (
    <IconButton small label={t("files.copyLink", { name })} aria-disabled={isPending} onClick={() => !isPending && mutate()}>
      {isSuccess ? <Check size={15} aria-hidden /> : <Link2 size={15} aria-hidden />}
    </IconButton>
  )
}
