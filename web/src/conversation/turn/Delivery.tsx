import { Check, CheckCheck, CircleSlash, Clock, type LucideIcon, Play, TriangleAlert } from "lucide-react"

import { useT } from "../../i18n"
import { cx } from "../../lib/cx"

/** How far a message has come, from the person's side. */
export type DeliveryState =
  | "sending"
  | "sendingLater"
  | "accepted"
  | "running"
  | "answered"
  | "stopped"
  | "failed"
  | "lost"
  | "dropped"
  | "summarized"
  | "refused"

const icons: Record<DeliveryState, LucideIcon> = {
  sending: Clock,
  sendingLater: Clock,
  accepted: Check,
  running: Play,
  answered: CheckCheck,
  stopped: CircleSlash,
  failed: TriangleAlert,
  lost: TriangleAlert,
  dropped: CircleSlash,
  summarized: Check,
  refused: TriangleAlert,
}

const tones: Partial<Record<DeliveryState, string>> = { failed: "text-danger", lost: "text-danger", refused: "text-danger" }

/** The line under a question. */
export function Delivery({ state }: { state: DeliveryState }) {
  const t = useT()
  const Icon = icons[state]
  return (
    <p className={cx("flex items-center gap-1 pr-1 text-small", tones[state] ?? "text-ink-3")}>
      <Icon size={13} aria-hidden />
      {t(`delivery.${state}`)}
    </p>
  )
}
