import { X } from "lucide-react"
import { Dialog } from "radix-ui"
import type { ReactNode } from "react"

import { useT } from "../i18n"
import { cx } from "../lib/cx"
import { IconButton } from "./IconButton"

interface Props {
  onClose: () => void
  title: string
  /** Wide enough for output and lists. */
  wide?: boolean
  /** Room for several pages, which it keeps whichever is shown. */
  room?: boolean
  children: ReactNode
}

/** A dialog in the middle of the page, open as long as it is drawn. */
export function Modal({ onClose, title, wide, room, children }: Props) {
  const t = useT()
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="enter-fade fixed inset-0 z-40 bg-black/30" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusFirstField}
          className={cx(
            "enter-rise fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg bg-overlay shadow-overlay outline-none",
            room ? "h-[min(44rem,calc(100dvh-2rem))] w-[min(56rem,calc(100vw-2rem))]" : wide ? "w-[min(42rem,calc(100vw-2rem))]" : "w-[min(28rem,calc(100vw-2rem))]",
          )}
        >
          <div className="flex items-center justify-between gap-4 py-3 pr-3 pl-6">
            <Dialog.Title className="text-body font-semibold text-balance">{title}</Dialog.Title>
            <Dialog.Close asChild>
              <IconButton label={t("common.close")}>
                <X size={18} aria-hidden />
              </IconButton>
            </Dialog.Close>
          </div>
          <div tabIndex={0} role="group" aria-label={title} className="overflow-y-auto px-6 pb-6">{children}</div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** A dialog with fields begins in the first one; else the dialog itself has the focus, not the button that closes it. */
function focusFirstField(event: Event): void {
  const dialog = event.currentTarget as HTMLElement
  event.preventDefault()
  const field = dialog.querySelector<HTMLElement>("input:not([hidden])")
  ;(field ?? dialog).focus()
}
