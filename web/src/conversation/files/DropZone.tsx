import { type DragEvent, type ReactNode, useState } from "react"

import { useT } from "../../i18n"

interface Props {
  onFiles: (files: File[]) => void
  children: ReactNode
}

const carriesFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files")

/** Takes files that are dropped anywhere on it, before the editor could. */
export function DropZone({ onFiles, children }: Props) {
  const t = useT()
  const [depth, setDepth] = useState(0) // entering a child comes before leaving its parent
  const over = (event: DragEvent) => {
    if (carriesFiles(event)) event.preventDefault()
  }
  const drop = (event: DragEvent) => {
    if (!carriesFiles(event)) return
    event.preventDefault()
    event.stopPropagation()
    setDepth(0)
    onFiles([...event.dataTransfer.files])
  }
  return (
    <div
      className="relative flex min-h-0 min-w-0 flex-1 flex-col"
      onDragEnter={(event) => carriesFiles(event) && setDepth(depth + 1)}
      onDragLeave={(event) => carriesFiles(event) && setDepth(Math.max(0, depth - 1))}
      onDragOverCapture={over}
      onDropCapture={drop}
    >
      {children}
      {depth > 0 && (
        <div className="pointer-events-none absolute inset-2 z-20 grid place-items-center rounded-lg border-2 border-dashed border-accent bg-canvas/90 font-medium">
          {t("files.dropHere")}
        </div>
      )}
    </div>
  )
}
