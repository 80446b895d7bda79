import type { Session } from "../api/types"

export type Age = "pinned" | "today" | "yesterday" | "week" | "older"

export interface SessionGroup {
  age: Age
  sessions: Session[]
}

const DAY = 24 * 60 * 60 * 1000

/** Puts sessions, which come newest first, under the headings of the side bar. Days are those of the reader's clock. */
export function groupByAge(sessions: Session[], now: Date): SessionGroup[] {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
  const groups: SessionGroup[] = []
  for (const session of sessions) {
    const age = session.pinned ? "pinned" : ageOf(Date.parse(session.updated_at), midnight)
    const group = groups.find((candidate) => candidate.age === age)
    if (group) group.sessions.push(session)
    else groups.push({ age, sessions: [session] })
  }
  return groups
}

function ageOf(at: number, midnight: number): Age {
  if (at >= midnight) return "today"
  if (at >= midnight - DAY) return "yesterday"
  return at >= midnight - 6 * DAY ? "week" : "older"
}
