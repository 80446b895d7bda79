import { useQuery } from "@tanstack/react-query"
import { lazy, Suspense, useEffect, useId } from "react"

import { sessionsQuery } from "../app/queries"
import { useT } from "../i18n"
import { groupByAge, type SessionGroup } from "./groups"
import { noteNew } from "./seen"
import { SessionRow } from "./SessionRow"

const MessageHits = lazy(() => import("./MessageHits"))

/** The conversations, or those whose title contains `q`. */
export function SessionList({ q }: { q: string }) {
  const t = useT()
  const { data, error } = useQuery(sessionsQuery(q))
  useEffect(() => {
    if (data) noteNew(data)
  }, [data])
  return (
    <div className="flex-1 overflow-y-auto px-2 pb-4">
      {error && !data && <p className="p-2 text-small text-ink-3">{t("sidebar.failed", { reason: error.message })}</p>}
      {data?.length === 0 && <p className="p-2 text-small text-ink-3">{q ? t("sidebar.noMatch", { q }) : t("sidebar.empty")}</p>}
      {data && groupByAge(data, new Date()).map((group) => <Group key={group.age} group={group} />)}
      {q.length > 1 && (
        <Suspense>
          <MessageHits q={q} />
        </Suspense>
      )}
    </div>
  )
}

function Group({ group }: { group: SessionGroup }) {
  const t = useT()
  const id = useId()
  return (
    <section aria-labelledby={id} className="mt-4 first:mt-2">
      <h2 id={id} className="px-2 pb-1 text-small text-ink-3">
        {t(`sidebar.${group.age}`)}
      </h2>
      <ul>
        {group.sessions.map((session) => (
          <SessionRow key={session.key} session={session} />
        ))}
      </ul>
    </section>
  )
}
