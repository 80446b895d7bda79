import { useQuery } from "@tanstack/react-query"
import { ChevronRight, FileText, Folder, FolderOpen } from "lucide-react"
import { useState } from "react"

import { readFolder } from "../../../api/calls"
import type { FileEntry } from "../../../api/types"
import { useTable } from "../../../i18n/table"
import { cx } from "../../../lib/cx"
import { useConversationContext } from "../../shared/context"
import { folderOf, nameOf } from "../kinds"
import { EntryMenu } from "./EntryMenu"
import { words } from "./words"

interface Props {
  root: string
  chosen?: string
  onChoose: (path?: string) => void
}

/** The folder where the conversation works, and what it holds. */
export function Tree({ root, chosen, onChoose }: Props) {
  const whole: FileEntry = { name: nameOf(root) || "/", path: root, dir: true, size: 0, mod_time: "" }
  return (
    <ul className="text-small">
      <Branch entry={whole} depth={0} top chosen={chosen} onChoose={onChoose} />
    </ul>
  )
}

interface BranchProps extends Omit<Props, "root"> {
  entry: FileEntry
  depth: number
  /** It is the folder that the tree begins with. */
  top?: boolean
}

function Branch({ entry, depth, top, chosen, onChoose }: BranchProps) {
  const [open, setOpen] = useState(top === true || (entry.dir && chosen?.startsWith(`${entry.path}/`) === true))
  const Icon = entry.dir ? (open ? FolderOpen : Folder) : FileText
  return (
    <li>
      <div className={cx("group flex items-center rounded-md hover:bg-hover", chosen === entry.path && "bg-hover")} style={{ paddingLeft: `${depth * 0.75}rem` }}>
        <button
          type="button"
          aria-expanded={entry.dir ? open : undefined}
          aria-current={chosen === entry.path || undefined}
          onClick={() => (entry.dir ? setOpen(!open) : onChoose(entry.path))}
          className="flex min-h-8 min-w-0 flex-1 items-center gap-1.5 rounded-md px-1 text-left"
        >
          <ChevronRight size={13} aria-hidden className={cx("shrink-0 text-ink-3 transition-transform", open && "rotate-90", !entry.dir && "invisible")} />
          <Icon size={15} aria-hidden className="shrink-0 text-ink-3" />
          <span className="truncate">{entry.name}</span>
        </button>
        <EntryMenu entry={entry} top={top} onGone={(to) => isWithin(chosen, entry.path) && onChoose(to)} onMade={onChoose} />
      </div>
      {entry.dir && open && <Entries folder={entry.path} depth={depth + 1} chosen={chosen} onChoose={onChoose} />}
    </li>
  )
}

const isWithin = (path: string | undefined, folder: string): boolean => path === folder || path?.startsWith(`${folder}/`) === true

function Entries({ folder, depth, chosen, onChoose }: Omit<BranchProps, "entry" | "top"> & { folder: string }) {
  const say = useTable(words)
  const { sessionKey } = useConversationContext()
  const { data, error } = useQuery({ queryKey: ["files", sessionKey, folder], queryFn: () => readFolder(sessionKey, folder), staleTime: 0, retry: false })
  const indent = { paddingLeft: `${depth * 0.75 + 1.5}rem` }
  if (error) return <p className="break-words text-danger" style={indent}>{error.message}</p>
  if (data?.entries.length === 0) return <p className="text-ink-3" style={indent}>{say("empty")}</p>
  return (
    <ul>
      {data?.entries.map((entry) => (
        <Branch key={entry.path} entry={entry} depth={depth} chosen={chosen} onChoose={onChoose} />
      ))}
    </ul>
  )
}

/** The folder in which something new is made: the entry itself, or that of a file. */
export const placeOf = (entry: FileEntry): string => (entry.dir ? entry.path : folderOf(entry.path))
