import { useQuery } from "@tanstack/react-query"

import { inboxWords } from "../../i18n/inbox"
import { useTable } from "../../i18n/table"
import { countQuery } from "./queries"

/** How much waits in the inbox; nothing where nothing does. */
export default function Badge() {
  const say = useTable(inboxWords)
  const { data } = useQuery(countQuery)
  const count = (data?.items ?? 0) + (data?.waiting ?? 0)
  if (count === 0) return null
  return (
    <span role="status" aria-label={say("waiting", { count })} className="pointer-events-none absolute top-1/2 right-8 inline-flex min-w-5 -translate-y-1/2 justify-center rounded-full bg-accent px-1.5 text-small text-on-accent">
      {count > 99 ? "99+" : count}
    </span>
  )
}
