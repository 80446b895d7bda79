import { SquarePen, Trash2 } from "lucide-react"
import { useState } from "react"

import { cx } from "../../lib/cx"
import { useStore } from "../../lib/store"
import { removeConversation } from "../api/calls"
import { Problem } from "../api/problem"
import { type Listed, listed, unlist } from "../chat/list"
import { dropAllPending, keepDraft } from "../chat/outbox"
import { useSay } from "../lib/language"
import { service } from "../lib/service"
import { Badge } from "../ui/Badge"
import { Button } from "../ui/Button"
import { Dialog } from "../ui/Dialog"
import { IconButton } from "../ui/IconButton"
import { Settings } from "./Settings"
import { useTrouble } from "./trouble"

interface Props {
  open: string | undefined
  /** Whether it is shown on a narrow page. */
  drawer: boolean
  onChoose: (id: string | undefined) => void
  onClose: () => void
}

/** The conversations of this browser: beside the open one, or over it where the page is narrow. */
export function Sidebar({ open, drawer, onChoose, onClose }: Props) {
  const say = useSay()
  const [removing, setRemoving] = useState<Listed>()
  const content = <Content open={open} onChoose={onChoose} onRemove={setRemoving} />
  return (
    <>
      <aside aria-label={say("app.sidebar")} className="hidden w-68 shrink-0 border-r border-line bg-raised md:block">
        {content}
      </aside>
      {drawer && (
        <Dialog drawer label={say("app.conversations")} onClose={onClose}>
          {content}
        </Dialog>
      )}
      {removing && (
        <Removal
          conversation={removing}
          onDone={(removed) => {
            setRemoving(undefined)
            if (removed && removing.id === open) onChoose(undefined)
          }}
        />
      )}
    </>
  )
}

function Content({ open, onChoose, onRemove }: { open: string | undefined; onChoose: Props["onChoose"]; onRemove: (conversation: Listed) => void }) {
  const say = useSay()
  const all = useStore(listed)
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-14 shrink-0 items-center gap-2.5 px-4">
        <Badge />
        <span className="truncate font-semibold">{service.name}</span>
      </div>
      <div className="px-2.5 pt-1 pb-3">
        <button type="button" onClick={() => onChoose(undefined)} className="flex min-h-10 w-full items-center gap-2.5 rounded-md px-2.5 text-left font-medium transition-colors hover:bg-hover">
          <SquarePen size={17} aria-hidden className="text-ink-2" />
          {say("app.new")}
        </button>
      </div>
      <nav aria-label={say("app.conversations")} className="min-h-0 flex-1 overflow-y-auto px-2.5 pb-3">
        {all.length === 0 && <p className="px-2.5 text-small text-ink-3">{say("app.none")}</p>}
        <ul>
          {all.map((one) => (
            <Entry key={one.id} conversation={one} open={one.id === open} onChoose={onChoose} onRemove={onRemove} />
          ))}
        </ul>
      </nav>
      <Settings />
    </div>
  )
}

function Entry({ conversation, open, onChoose, onRemove }: { conversation: Listed; open: boolean; onChoose: Props["onChoose"]; onRemove: (conversation: Listed) => void }) {
  const say = useSay()
  const title = conversation.title || say("app.untitled")
  return (
    <li className={cx("group flex items-center rounded-md transition-colors hover:bg-hover", open && "bg-hover")}>
      <button type="button" aria-current={open ? "page" : undefined} onClick={() => onChoose(conversation.id)} className="min-h-10 min-w-0 flex-1 truncate rounded-md px-2.5 text-left">
        {title}
      </button>
      <IconButton small label={say("app.delete", { title })} onClick={() => onRemove(conversation)} className="mr-1 md:opacity-0 md:group-hover:opacity-100 md:focus-visible:opacity-100">
        <Trash2 size={15} aria-hidden />
      </IconButton>
    </li>
  )
}

/** Asks before a conversation is deleted, and deletes it. */
function Removal({ conversation, onDone }: { conversation: Listed; onDone: (removed: boolean) => void }) {
  const say = useSay()
  const sayTrouble = useTrouble()
  const [busy, setBusy] = useState(false)
  const [failed, setFailed] = useState<string>()
  const remove = async () => {
    setBusy(true)
    try {
      await removeConversation(conversation.id)
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== "gone") {
        setBusy(false)
        setFailed(say("app.deleteFailed", { why: error instanceof Problem ? sayTrouble(error) : "" }))
        return
      }
    }
    unlist(conversation.id)
    dropAllPending(conversation.id)
    keepDraft(conversation.id, "")
    onDone(true)
  }
  return (
    <Dialog label={say("app.deleteTitle")} onClose={() => onDone(false)}>
      <div className="p-6">
        <h2 className="text-body font-semibold">{say("app.deleteTitle")}</h2>
        <p className="mt-2 break-words text-ink-2">{say("app.deleteBody", { title: conversation.title || say("app.untitled") })}</p>
        {failed !== undefined && (
          <p role="alert" className="mt-3 text-danger">
            {failed}
          </p>
        )}
        <div className="mt-6 flex justify-end gap-2">
          <Button onClick={() => onDone(false)}>{say("app.cancel")}</Button>
          <Button look="danger" disabled={busy} onClick={() => void remove()}>
            {say("app.deleteYes")}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
