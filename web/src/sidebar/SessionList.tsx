import { useQuery } from "@tanstack/react-query"
import { lazy, Suspense, useEffect } from "react"

import { sessionsQuery } from "../api/queries"
import { noteNew } from "../conversation/feed/unread"
import { useT } from "../i18n"
import { groupByAge, type SessionGroup } from "./groups"
import { Rows } from "./Rows"

const ArchivedSessions = lazy(() => import("./Archive"))
const MessageHits = lazy(() => import("./MessageHits"))

/** The conversations; or those whose title contains `q`, also archived ones and one-shots. */
export function SessionList({ q }: { q: string }) {
  const t = useT()
  const { data, error } = useQuery(sessionsQuery(q, q === "" ? "listed" : "all"))
  useEffect(() => {
    if (data) noteNew(data)
  }, [data])
  return (
    <div className="flex-1 overflow-y-auto px-2 pb-4">
      {error && !data && <p className="p-2 text-small text-ink-3">{t("sidebar.failed", { reason: error.message })}</p>}
      {data?.length === 0 && <p className="p-2 text-small text-ink-3">{q ? t("sidebar.noMatch", { q }) : t("sidebar.empty")}</p>}
      {data && groupByAge(data, new Date()).map((group) => <Group key={group.age} group={group} />)}
      {q === "" && data && (
        <Suspense>
          <ArchivedSessions alone={data.length === 0} />
        </Suspense>
      )}
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
  return <Rows title={t(`sidebar.${group.age}`)} sessions={group.sessions} />
}
