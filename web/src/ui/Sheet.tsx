import { Dialog } from "radix-ui"
import type { ReactNode } from "react"

import { cx } from "../lib/cx"

interface Props {
  open: boolean
  onOpenChange: (open: boolean) => void
  side: "left" | "right"
  label: string
  children: ReactNode
}

/** A panel that slides over the page where there is no room beside it. */
export default function Sheet({ open, onOpenChange, side, label, children }: Props) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="enter-fade fixed inset-0 z-30 bg-black/30" />
        <Dialog.Content
          aria-describedby={undefined}
          className={cx(
            "fixed inset-y-0 z-40 w-[min(20rem,calc(100vw-3rem))] bg-raised shadow-overlay outline-none",
            side === "left" ? "enter-left left-0" : "enter-right right-0",
          )}
        >
          <Dialog.Title className="sr-only">{label}</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
