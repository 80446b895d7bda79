import { useQuery, useQueryClient } from "@tanstack/react-query"
import { ChevronLeft } from "lucide-react"
import { lazy, Suspense, useEffect, useState } from "react"

import { readFolder } from "../../../api/calls"
import { useTable } from "../../../i18n/table"
import { cx } from "../../../lib/cx"
import { IconButton } from "../../../ui/IconButton"
import { Modal } from "../../../ui/Modal"
import { useHasSidebar } from "../../../ui/useMedia"
import { useConversationContext } from "../../shared/context"
import { nameOf } from "../kinds"
import { FileView } from "./FileView"
import { Tree } from "./Tree"
import { words } from "./words"

const Confirm = lazy(() => import("../../../ui/Confirm"))

/** How often folders are read again while a turn runs, which may change them. */
const FOLLOW_MS = 2000

interface Props {
  start?: string
  /** A turn runs. */
  busy: boolean
  onClose: () => void
}

/** The files where a conversation works: a tree, and the file that was chosen in it. On a phone one after the other. */
export default function FilesDialog({ start, busy, onClose }: Props) {
  const say = useTable(words)
  const { sessionKey } = useConversationContext()
  useFollow(sessionKey, busy)
  const { data: root, error } = useQuery({ queryKey: ["files", sessionKey, ""], queryFn: () => readFolder(sessionKey, ""), staleTime: 0, retry: false })
  const [chosen, setChosen] = useState(start)
  const [dirty, setDirty] = useState(false)
  const [waiting, setWaiting] = useState<() => void>()
  const wide = useHasSidebar()
  /** Does something that would lose what is not saved, once it may be lost. */
  const leave = (go: () => void) => {
    if (dirty) setWaiting(() => go)
    else go()
  }
  const choose = (path?: string) =>
    leave(() => {
      setDirty(false)
      setChosen(path)
    })
  const file = chosen !== undefined && root && !chosen.startsWith("/") ? `${root.path}/${chosen.replace(/^\.\//, "")}` : chosen
  return (
    <Modal room title={say("title")} onClose={() => leave(onClose)}>
      <div className="flex h-[min(37rem,calc(100dvh-8rem))] gap-4">
        {(wide || file === undefined) && (
          <nav aria-label={say("tree")} className={cx("overflow-y-auto", wide ? "w-60 shrink-0 border-r border-line pr-2" : "w-full")}>
            {error && <p className="text-small break-words text-danger">{error.message}</p>}
            {root && <Tree root={root.path} chosen={file} onChoose={choose} />}
          </nav>
        )}
        {file !== undefined ? (
          <div className="flex min-w-0 flex-1 flex-col">
            {!wide && (
              <IconButton small label={say("back")} onClick={() => choose(undefined)} className="mb-1">
                <ChevronLeft size={17} aria-hidden />
              </IconButton>
            )}
            <FileView key={file} path={file} onDirty={setDirty} />
          </div>
        ) : (
          wide && <p className="m-auto text-ink-3">{say("none")}</p>
        )}
      </div>
      {waiting && (
        <Suspense>
          <Confirm
            title={say("discard")}
            text={say("discardText", { name: nameOf(file ?? "") })}
            action={say("discardAction")}
            onClose={() => setWaiting(undefined)}
            onConfirm={() => {
              setDirty(false)
              waiting()
            }}
          />
        </Suspense>
      )}
    </Modal>
  )
}

/** Reads the folders again while a turn runs, and once it has ended. */
function useFollow(sessionKey: string, busy: boolean) {
  const queries = useQueryClient()
  useEffect(() => {
    if (!busy) return
    const look = () => void queries.invalidateQueries({ queryKey: ["files", sessionKey] }, { cancelRefetch: false })
    const timer = setInterval(look, FOLLOW_MS)
    return () => {
      clearInterval(timer)
      look()
    }
  }, [queries, sessionKey, busy])
}
