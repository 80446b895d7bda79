import { File, FileX } from "lucide-react"

import { useLanguage } from "../../i18n"
import { bytes } from "../../i18n/format"
import type { AttachedFile } from "./attachments"

/** Files that came with a message, a row each. */
export function AttachmentList({ files }: { files: AttachedFile[] }) {
  const language = useLanguage()
  if (files.length === 0) return null
  return (
    <ul className="mt-2 space-y-1 text-small text-ink-2">
      {files.map(({ name, size, path, problem }, n) => (
        <li key={n} title={path} className="flex items-baseline gap-1.5">
          {problem ? <FileX size={14} aria-hidden className="shrink-0 self-center" /> : <File size={14} aria-hidden className="shrink-0 self-center" />}
          <span className="min-w-0 break-words">{name}</span>
          <span className="shrink-0 text-ink-3">{problem ?? (size !== undefined && bytes(language, size))}</span>
        </li>
      ))}
    </ul>
  )
}
