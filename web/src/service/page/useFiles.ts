import { type ClipboardEvent, type DragEvent, useCallback, useMemo, useState } from "react"

import { useSay } from "../lib/language"

/** What one message may carry (the consumer API). */
export const MOST_FILES = 20
const MOST_MEGABYTES = 20

/** The files of the message that is being written: picked, pasted or dropped. */
export interface Files {
  picked: File[]
  /** Why some were not taken. */
  refused: string
  /** Files are held over the page. */
  over: boolean
  add: (files: Iterable<File>) => void
  remove: (file: File) => void
  clear: () => void
  paste: (event: ClipboardEvent) => void
  dropping: { onDragOver: (event: DragEvent) => void; onDragLeave: (event: DragEvent) => void; onDrop: (event: DragEvent) => void }
}

export function useFiles(): Files {
  const say = useSay()
  const [picked, setPicked] = useState<File[]>([])
  const [refused, setRefused] = useState("")
  const [over, setOver] = useState(false)
  const add = useCallback(
    (files: Iterable<File>) => {
      const taken: File[] = []
      let why = ""
      for (const file of files) {
        if (file.size > MOST_MEGABYTES * 1_000_000) why = say("compose.tooLarge", { name: file.name, n: MOST_MEGABYTES })
        else if (file.size === 0) why = say("compose.empty", { name: file.name })
        else taken.push(file)
      }
      setPicked((before) => [...before, ...taken].slice(0, MOST_FILES))
      if (picked.length + taken.length > MOST_FILES) why = say("compose.tooMany", { n: MOST_FILES })
      setRefused(why)
    },
    [picked, say],
  )
  return useMemo(
    () => ({
      picked,
      refused,
      over,
      add,
      remove: (file) => setPicked((before) => before.filter((one) => one !== file)),
      clear: () => {
        setPicked([])
        setRefused("")
      },
      paste: (event) => {
        const { files } = event.clipboardData
        if (files.length === 0) return
        event.preventDefault()
        add(files)
      },
      dropping: {
        onDragOver: (event) => {
          if (!event.dataTransfer.types.includes("Files")) return
          event.preventDefault()
          setOver(true)
        },
        onDragLeave: (event) => {
          if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
        },
        onDrop: (event) => {
          setOver(false)
          if (event.dataTransfer.files.length === 0) return
          event.preventDefault()
          add(event.dataTransfer.files)
        },
      },
    }),
    [picked, refused, over, add],
  )
}
