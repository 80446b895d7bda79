import { AlertDialog } from "radix-ui"

import { useT } from "../i18n"
import { Button } from "./Button"

interface Props {
  onClose: () => void
  title: string
  text: string
  action: string
  onConfirm: () => void
}

/** Asks before something that cannot be undone. Cancel has the focus. */
export default function Confirm({ onClose, title, text, action, onConfirm }: Props) {
  const t = useT()
  return (
    <AlertDialog.Root open onOpenChange={onClose}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="enter-fade fixed inset-0 z-40 bg-black/30" />
        <AlertDialog.Content className="enter-rise fixed top-1/2 left-1/2 z-50 w-[min(26rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 rounded-lg bg-overlay p-6 shadow-overlay">
          <AlertDialog.Title className="text-body font-semibold break-words">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-ink-2">{text}</AlertDialog.Description>
          <div className="mt-6 flex justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button>{t("common.cancel")}</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button look="danger" onClick={onConfirm}>
                {action}
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
