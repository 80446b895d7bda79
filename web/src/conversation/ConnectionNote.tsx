import { WifiOff } from "lucide-react"
import { useEffect, useState, useSyncExternalStore } from "react"

import { useT } from "../i18n"
import type { Link } from "./feed/conversation"

/** A break shorter than this is not worth a word, in milliseconds. */
const PATIENCE = 800

/** Says that the server cannot be reached, and that nothing is lost by it. */
export function ConnectionNote({ link, onRetry }: { link: Link; onRetry: () => void }) {
  const t = useT()
  const online = useOnline()
  const lost = useLasting(link === "lost", PATIENCE)
  return (
    <div role="status">
      {lost && (
        <div className="mb-2 flex items-center gap-2.5 rounded-md bg-warn-soft px-3.5 py-2 text-small">
          <WifiOff size={15} aria-hidden className="shrink-0 text-warn" />
          <p className="min-w-0 flex-1">{t(online ? "connection.lost" : "connection.offline")}</p>
          <button type="button" onClick={onRetry} className="shrink-0 rounded-sm font-medium underline underline-offset-3">
            {t("connection.again")}
          </button>
        </div>
      )}
    </div>
  )
}

/** True once `value` has been true for a while. */
function useLasting(value: boolean, milliseconds: number): boolean {
  const [lasting, setLasting] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLasting(value), value ? milliseconds : 0)
    return () => clearTimeout(timer)
  }, [value, milliseconds])
  return value && lasting
}

function subscribe(changed: () => void): () => void {
  window.addEventListener("online", changed)
  window.addEventListener("offline", changed)
  return () => {
    window.removeEventListener("online", changed)
    window.removeEventListener("offline", changed)
  }
}

const useOnline = () => useSyncExternalStore(subscribe, () => navigator.onLine)
