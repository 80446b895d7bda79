import { RotateCcw } from "lucide-react"

import type { Message } from "../api/types"
import { useLanguage, useT } from "../i18n"
import { fullMoment, moment } from "../i18n/format"

/** Here the conversation began anew: why and when. The newest one says what that means. */
export function ResetLine({ message, newest }: { message: Message; newest: boolean }) {
  const t = useT()
  const language = useLanguage()
  const said = message.content.trim().replace(/[.。]$/, "").replace(/: |：/, " · ")
  return (
    <div
      role="group"
      aria-label={t("reset.label")}
      data-message={message.id}
      className="flex items-center gap-3 text-small text-ink-3 before:h-px before:flex-1 before:bg-line-strong after:h-px after:flex-1 after:bg-line-strong"
    >
      <p className="flex max-w-[85%] items-center gap-2 px-1">
        <RotateCcw size={14} aria-hidden className="shrink-0" />
        <span className="min-w-0 break-words">
          <span className="font-medium text-ink-2">{said || t("reset.label")}</span>
          <span className="tabular-nums" data-tip={fullMoment(language, message.created_at)}>
            {" · "}
            {moment(language, message.created_at)}
          </span>
          {newest && <span className="block text-center">{t("reset.above")}</span>}
        </span>
      </p>
    </div>
  )
}
