import type { Session, Turn } from "../api/types"

/** Milliseconds that a turn takes at least for its end to be told. */
export const LONG = 30_000

/** The turns that ran at one look at the conversations and do not run at the next. */
export function ended(before: Session[], now: Session[]): { session: Session; turn: string }[] {
  const ran = new Map(before.map((session) => [session.key, session.running]))
  return now.flatMap((session) => {
    const turn = ran.get(session.key)
    return turn && turn !== session.running ? [{ session, turn }] : []
  })
}

/** How many milliseconds a turn took that is worth telling; undefined: it was short, runs on, or the person stopped it. */
export function longOne({ state, started_at, ended_at }: Pick<Turn, "state" | "started_at" | "ended_at">): number | undefined {
  if (!ended_at || state === "running" || state === "stopped") return undefined
  const took = Date.parse(ended_at) - Date.parse(started_at)
  return took > LONG ? took : undefined
}
