import { useQuery } from "@tanstack/react-query"

import { listReceivedRatings } from "../../api/tracing"
import { useLanguage } from "../../i18n"
import { moment } from "../../i18n/format"
import { useTable } from "../../i18n/table"
import { tracingWords } from "../../i18n/tracing"
import { Section } from "../../ui/Section"

/** The newest ratings of replies by all users, with their comments. */
export function ReceivedRatings() {
  const say = useTable(tracingWords)
  const language = useLanguage()
  const { data } = useQuery({ queryKey: ["received ratings"], queryFn: listReceivedRatings, retry: false })
  if (!data) return null
  return (
    <Section title={say("ratings")}>
      {data.length === 0 && <p className="text-small text-ink-2">{say("noRatings")}</p>}
      <ul className="divide-y divide-line">
        {data.map(({ message_id, user, helpful, comment, rated_at }) => (
          <li key={`${message_id} ${user}`} className="py-2">
            <span className="block text-small text-ink-3">{[say(helpful ? "up" : "down"), user, moment(language, rated_at)].join(" · ")}</span>
            {comment && <span className="block break-words">{comment}</span>}
          </li>
        ))}
      </ul>
    </Section>
  )
}
