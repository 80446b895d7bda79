import { Bot, Braces, CalendarClock, Feather, Globe, Hash, type LucideIcon, MessageCircle, MessagesSquare, Terminal, Users, Webhook } from "lucide-react"

import type { Session } from "../api/types"
import { channelName } from "../channels/place"
import { useT } from "../i18n"

const channels: Record<string, LucideIcon> = { web: Globe, cli: Terminal, api: Braces, cron: CalendarClock, hook: Webhook, feishu: Feather, qq: MessageCircle, napcat: Bot }
const places: Partial<Record<Session["chat_type"], LucideIcon>> = { group: Users, channel: Hash, thread: MessagesSquare }

/** Where a conversation that did not begin on this page comes from: its channel, or the kind of place where several people write. */
export function ChannelIcon({ session: { channel, chat_type: type } }: { session: Session }) {
  const t = useT()
  const Icon = places[type] ?? channels[channel] ?? MessageCircle
  const name = channelName(t, channel)
  const label = places[type] ? t("sidebar.in", { channel: name, place: t(`chat.${type}`) }) : t("sidebar.via", { channel: name })
  return <Icon size={15} className="shrink-0 text-ink-3" role="img" aria-label={label} />
}
