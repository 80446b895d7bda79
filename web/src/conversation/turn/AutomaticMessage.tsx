import { Bot, CalendarClock, HeartPulse, MessagesSquare, Webhook } from "lucide-react"

import type { Message } from "../../api/types"
import { useT } from "../../i18n"
import { Fold } from "../../ui/Fold"
import { OutputView } from "../../ui/text/OutputView"

const icons = { cron: CalendarClock, hook: Webhook, subagent: Bot, peer: MessagesSquare, heartbeat: HeartPulse }

type AutomaticMessage = keyof typeof icons

/** What the product told the model, which no person wrote: one quiet line that opens to what the model read. */
export function AutomaticMessage({ message }: { message: Message }) {
  const t = useT()
  const origin = message.origin as AutomaticMessage
  const [first = "", ...rest] = message.content.split("\n")
  return (
    <Fold icon={icons[origin]} name={t(`told.${origin}`)} summary={first.replace(/^\[|\]$/g, "")}>
      {() => <OutputView text={rest.join("\n").trim()} label={t("tools.output")} empty={t("tools.noOutput")} follow={false} failed={false} />}
    </Fold>
  )
}
