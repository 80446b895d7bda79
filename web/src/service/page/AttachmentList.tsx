import { FileText, X } from "lucide-react"
import { useEffect, useState } from "react"

import { kindOf } from "../chat/files"
import { useSay } from "../lib/language"
import { IconButton } from "../ui/IconButton"

/** Files that are about to be sent: pictures as they are, others by name and size. */
export function AttachmentList({ files, onRemove }: { files: File[]; onRemove?: (file: File) => void }) {
  const say = useSay()
  return (
    <ul aria-label={say("compose.files")} className="flex flex-wrap gap-2">
      {files.map((file, n) => (
        <li key={`${n} ${file.name} ${file.size} ${file.lastModified}`} className="relative flex h-16 max-w-full items-center overflow-hidden rounded-md border border-line bg-raised">
          <Preview file={file} />
          {onRemove && (
            <IconButton small label={say("compose.remove", { name: file.name })} onClick={() => onRemove(file)} className="absolute top-1 right-1 size-6! bg-overlay">
              <X size={14} aria-hidden />
            </IconButton>
          )}
        </li>
      ))}
    </ul>
  )
}

function Preview({ file }: { file: File }) {
  const address = useObjectAddress(file)
  if (address !== undefined) return <img src={address} alt={file.name} className="h-full w-24 object-cover" />
  return (
    <span className="flex min-w-0 items-center gap-2 px-3 pr-9">
      <FileText size={18} aria-hidden className="shrink-0 text-ink-3" />
      <span className="min-w-0">
        <span className="block max-w-44 truncate text-small">{file.name}</span>
        <span className="block text-small text-ink-3">{sizeOf(file.size)}</span>
      </span>
    </span>
  )
}

const isPicture = ({ name, type }: File) => kindOf(name) === "picture" || /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/.test(type)

/** An address of the picture in this page, as long as it is shown; undefined: it is none. */
function useObjectAddress(file: File): string | undefined {
  const [address] = useState(() => (isPicture(file) ? URL.createObjectURL(file) : undefined))
  useEffect(() => {
    if (address !== undefined) return () => URL.revokeObjectURL(address)
  }, [address])
  return address
}

const sizeOf = (bytes: number): string => (bytes < 1000 ? `${bytes} B` : bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`)
