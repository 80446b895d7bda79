import { Ear, ListX } from "lucide-react"

import type { Message } from "../../api/types"
import { useT } from "../../i18n"
import { Fold } from "../../ui/Fold"
import { linesOf } from "../feed/group-messages"

/** The lines of what the model was told beside the question. */
export default function GroupMessages({ origin, messages }: { origin: "overheard" | "summarized"; messages: Message[] }) {
  const t = useT()
  const lines = linesOf(messages)
  return (
    <Fold icon={origin === "overheard" ? Ear : ListX} name={t(`aside.${origin}`, { count: lines.length })} summary={lines.at(-1)?.text}>
      {() => (
        <ul className="space-y-1.5 text-small">
          {lines.map(({ sender, text, id }) => (
            <li key={id} className="break-words whitespace-pre-wrap">
              {sender && <span className="font-medium text-ink-2">{sender}: </span>}
              <span className="text-ink-2">{text}</span>
            </li>
          ))}
        </ul>
      )}
    </Fold>
  )
}
