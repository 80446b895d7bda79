import { MailX } from "lucide-react"

import { useT } from "../../i18n"
import { LazyMarkdown } from "../../markdown/LazyMarkdown"
import { useConversationContext } from "../shared/context"

interface Props {
  text: string
  live: boolean
  gap: boolean
  finish?: string
  /** Id of the message, by which it is found. */
  message?: number
  /** The send policy kept it from the channel. */
  undelivered?: boolean
}

const cuts = { length: "turn.cutLength", content_filter: "turn.cutFilter", stopped: "turn.cutStopped" } as const

/** What the model says, with a sentence when it is not the whole. */
export function AnswerText({ text, live, gap, finish, message, undelivered }: Props) {
  const t = useT()
  const { among } = useConversationContext()
  const cut = finish === undefined ? undefined : cuts[finish as keyof typeof cuts]
  return (
    <div data-message={message} className="scroll-mt-6">
      {gap && <p className="mb-2 text-small text-ink-3">{t("turn.gap")}</p>}
      <LazyMarkdown text={text} live={live} />
      {undelivered && !among && (
        <p className="mt-2 flex items-center gap-1.5 text-small text-warn">
          <MailX size={14} aria-hidden className="shrink-0" /> {t("turn.undelivered")}
        </p>
      )}
      {cut && <p className="mt-2 text-small text-ink-3">{t(cut)}</p>}
    </div>
  )
}
