import { X } from "lucide-react"

import { useT } from "../i18n"
import { useStore } from "../lib/store"
import { dismiss, toasts } from "./toasts"

export function Toasts() {
  const t = useT()
  const shown = useStore(toasts)
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-4 z-50 flex flex-col items-center gap-2 px-4">
      {shown.map((toast) => (
        <div key={toast.id} className="pointer-events-auto flex max-w-96 items-start gap-2 rounded-md bg-ink py-2 pr-2 pl-3 text-canvas shadow-overlay">
          <p className="break-words">{toast.text}</p>
          <button type="button" aria-label={t("common.close")} onClick={() => dismiss(toast.id)} className="rounded-sm p-0.5 outline-canvas hover:opacity-80">
            <X size={16} aria-hidden />
          </button>
        </div>
      ))}
    </div>
  )
}
