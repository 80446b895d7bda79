import { CalendarClock, MessageCircle, Terminal, Webhook } from "lucide-react"

import { useT } from "../i18n"

const icons = { cli: Terminal, cron: CalendarClock, hook: Webhook }

/** Where a conversation that did not begin on this page comes from. */
export function ChannelIcon({ channel }: { channel: string }) {
  const t = useT()
  const Icon = icons[channel as keyof typeof icons] ?? MessageCircle
  return <Icon size={15} className="shrink-0 text-ink-3" role="img" aria-label={t("sidebar.via", { channel })} />
}
