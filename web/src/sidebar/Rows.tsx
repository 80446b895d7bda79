import { useId } from "react"

import type { Session } from "../api/types"
import { SessionRow } from "./SessionRow"

/** Conversations under a heading. */
export function Rows({ title, sessions }: { title: string; sessions: Session[] }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="mt-4 first:mt-2">
      <h2 id={id} className="px-2 pb-1 text-small text-ink-3">
        {title}
      </h2>
      <ul>
        {sessions.map((session) => (
          <SessionRow key={session.key} session={session} />
        ))}
      </ul>
    </section>
  )
}
