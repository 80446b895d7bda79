import { Paperclip, X } from "lucide-react"

import { useLanguage, useT } from "../../i18n"
import { bytes } from "../../i18n/format"
import { IconButton } from "../../ui/IconButton"
import type { Upload } from "./uploads"

/** Files on their way, and those that were not taken, above the message they belong to. */
export function UploadList({ uploads, onDrop }: { uploads: Upload[]; onDrop: (id: number) => void }) {
  if (uploads.length === 0) return null
  return (
    <ul className="space-y-1 px-4 pt-3 text-small">
      {uploads.map((upload) => (
        <Row key={upload.id} upload={upload} onDrop={onDrop} />
      ))}
    </ul>
  )
}

function Row({ upload, onDrop }: { upload: Upload; onDrop: (id: number) => void }) {
  const t = useT()
  const language = useLanguage()
  const { id, name, size, sent, problem } = upload
  return (
    <li className="flex items-center gap-2.5">
      <Paperclip size={15} aria-hidden className="shrink-0 text-ink-3" />
      <span className="min-w-0 flex-1">
        <span className="block truncate">{name}</span>
        {problem ? (
          <span role="alert" className="block break-words text-danger">
            {problem}
          </span>
        ) : (
          <progress aria-label={t("files.progress", { name })} value={sent} max={Math.max(1, size)} className="upload-bar block h-1 w-full" />
        )}
      </span>
      {!problem && <span className="shrink-0 text-ink-3 tabular-nums">{bytes(language, size)}</span>}
      <IconButton small label={t(problem ? "files.dismiss" : "files.cancel", { name })} onClick={() => onDrop(id)}>
        <X size={15} aria-hidden />
      </IconButton>
    </li>
  )
}
