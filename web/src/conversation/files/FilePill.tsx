import { Download } from "lucide-react"
import type { ReactNode } from "react"

import { contentAddress } from "../../api/files"
import { type Table, useTable } from "../../i18n/table"
import { DownloadLink } from "../../ui/DownloadLink"
import { nameOf } from "./kinds"

const words: Table<"download"> = { en: { download: "Download" }, zh: { download: "下载" } }

/** A file that is saved rather than shown. */
export function FilePill({ sessionKey, path, children }: { sessionKey: string; path: string; children?: ReactNode }) {
  const say = useTable(words)
  return (
    <DownloadLink href={contentAddress(sessionKey, path)} download={nameOf(path)} data-tip={say("download")}>
      <Download size={14} aria-hidden className="mr-1 inline-block align-[-2px]" />
      {children ?? nameOf(path)}
    </DownloadLink>
  )
}
