import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useId } from "react"

import { type Hit, searchMessages } from "../api/routing"
import { useLanguage, useT } from "../i18n"
import { moment } from "../i18n/format"
import { partsOf } from "./snippet"

/** Messages that hold what is searched for, also those that the model does not see any more. */
export default function MessageHits({ q }: { q: string }) {
  const t = useT()
  const id = useId()
  const { data, error } = useQuery({ queryKey: ["search", q], queryFn: () => searchMessages(q), placeholderData: keepPreviousData })
  return (
    <section aria-labelledby={id} className="mt-4">
      <h2 id={id} className="px-2 pb-1 text-small text-ink-3">
        {t("search.messages")}
      </h2>
      {error && <p className="p-2 text-small text-ink-3">{t("sidebar.failed", { reason: error.message })}</p>}
      {data?.length === 0 && <p className="px-2 text-small text-ink-3">{t("search.none", { q })}</p>}
      <ul>
        {data?.map((hit) => (
          <li key={`${hit.session} ${hit.message_id}`}>
            <HitRow hit={hit} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function HitRow({ hit }: { hit: Hit }) {
  const t = useT()
  const language = useLanguage()
  return (
    <Link
      to="/c/$key"
      params={{ key: hit.session }}
      search={{ m: hit.message_id }}
      className="block rounded-md px-2 py-1.5 outline-offset-[-2px] hover:bg-hover"
    >
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 flex-1 truncate">{hit.title || t("session.untitled")}</span>
        <span className="shrink-0 text-small text-ink-3 tabular-nums">{moment(language, hit.at)}</span>
      </span>
      <span className="line-clamp-2 text-small break-words text-ink-3">
        {partsOf(hit).map(({ text, found }, n) =>
          found ? (
            <mark key={n} className="rounded-sm bg-accent-soft text-accent">
              {text}
            </mark>
          ) : (
            text
          ),
        )}
      </span>
    </Link>
  )
}
