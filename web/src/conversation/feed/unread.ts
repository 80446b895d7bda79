import type { Session } from "../../api/types"
import { readJson, writeJson } from "../../lib/storage"
import { Store, useStore } from "../../lib/store"

/** Keys remembered at most; the oldest are forgotten and then count as read. */
const REMEMBERED = 500

const place = "xbot.seen"

/** The sequence up to which each session was read in this browser. */
const seen = new Store<Record<string, number>>(readJson(place, {}))

function keep(next: Record<string, number>): void {
  const entries = Object.entries(next)
  const bounded = entries.length > REMEMBERED ? Object.fromEntries(entries.slice(-REMEMBERED)) : next
  seen.set(bounded)
  writeJson(place, bounded)
}

/** Notes that a session was read up to a sequence. */
export function markSeen(key: string, seq: number): void {
  const { [key]: before, ...others } = seen.get()
  if (before === undefined || before < seq) keep({ ...others, [key]: seq })
}

/** Sessions that this browser sees for the first time count as read up to now. */
export function noteNew(sessions: Session[]): void {
  const known = seen.get()
  const fresh = sessions.filter((session) => known[session.key] === undefined)
  if (fresh.length > 0) keep({ ...known, ...Object.fromEntries(fresh.map((session) => [session.key, session.seq])) })
}

export function useSeen(): Record<string, number> {
  return useStore(seen)
}
