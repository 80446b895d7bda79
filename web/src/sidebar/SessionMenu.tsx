import { Archive, ArchiveRestore, Ellipsis, Pencil, Pin, PinOff, RotateCcw, Share2, Trash2 } from "lucide-react"
import { DropdownMenu } from "radix-ui"
import { lazy, Suspense, useState } from "react"

import { useAccount } from "../account/account"
import { useT } from "../i18n"
import { shareWords } from "../i18n/shares"
import { useTable } from "../i18n/table"
import { randomId } from "../lib/ids"
import { IconButton } from "../ui/IconButton"
import { menuItem, menuLine, menuPanel } from "../ui/menu"
import { toast } from "../ui/toasts"
import { menuButtonLook, type SessionMenuProps } from "./session-menu"
import { useSessionActions } from "./useSessionActions"

const Confirm = lazy(() => import("../ui/Confirm"))
const ShareDialog = lazy(() => import("../share/ShareDialog"))

/** The menu of a conversation. Opens as soon as it is drawn. */
export default function SessionMenu({ session, title, onRename }: SessionMenuProps) {
  const t = useT()
  const { change, remove } = useSessionActions(session)
  const { outbox } = useAccount()
  const say = useTable(shareWords)
  const [asking, setAsking] = useState(false)
  const [sharing, setSharing] = useState(false)
  const failed = (error: Error) => toast(t("session.changeFailed", { reason: error.message }))
  return (
    <>
      <DropdownMenu.Root defaultOpen>
        <DropdownMenu.Trigger asChild>
          <IconButton small label={t("session.menu", { title })} className={menuButtonLook}>
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content align="start" sideOffset={4} collisionPadding={8} className={menuPanel} onCloseAutoFocus={(event) => (asking || sharing) && event.preventDefault()}>
            <DropdownMenu.Item className={menuItem} onSelect={onRename}>
              <Pencil size={15} aria-hidden /> {t("session.rename")}
            </DropdownMenu.Item>
            <DropdownMenu.Item className={menuItem} onSelect={() => change.mutate({ pinned: !session.pinned }, { onError: failed })}>
              {session.pinned ? <PinOff size={15} aria-hidden /> : <Pin size={15} aria-hidden />}
              {session.pinned ? t("session.unpin") : t("session.pin")}
            </DropdownMenu.Item>
            <DropdownMenu.Item className={menuItem} onSelect={() => outbox.send({ id: randomId(), key: session.key, text: "/new", fresh: false })}>
              <RotateCcw size={15} aria-hidden /> {t("session.anew")}
            </DropdownMenu.Item>
            <DropdownMenu.Item className={menuItem} onSelect={() => setSharing(true)}>
              <Share2 size={15} aria-hidden /> {say("share")}
            </DropdownMenu.Item>
            <DropdownMenu.Item className={menuItem} onSelect={() => change.mutate({ shelf: session.shelf ? "" : "archived" }, { onError: failed })}>
              {session.shelf ? <ArchiveRestore size={15} aria-hidden /> : <Archive size={15} aria-hidden />}
              {session.shelf ? t("session.unshelve") : t("session.archive")}
            </DropdownMenu.Item>
            <DropdownMenu.Separator className={menuLine} />
            <DropdownMenu.Item className={`${menuItem} text-danger`} onSelect={() => setAsking(true)}>
              <Trash2 size={15} aria-hidden /> {t("session.delete")}
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Suspense>
        {sharing && <ShareDialog sessionKey={session.key} title={title} onClose={() => setSharing(false)} />}
        {asking && (
          <Confirm
            onClose={() => setAsking(false)}
            title={t("session.deleteTitle", { title })}
            text={t("session.deleteText")}
            action={t("session.deleteConfirm")}
            onConfirm={() => remove.mutate(undefined, { onError: failed })}
          />
        )}
      </Suspense>
    </>
  )
}
