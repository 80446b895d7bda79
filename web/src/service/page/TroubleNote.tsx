import { useNow } from "../../lib/useNow"
import type { State } from "../chat/conversation"
import { useSay } from "../lib/language"
import { useTrouble } from "./trouble"

/** What went wrong, in one sentence, and what to do. */
export function TroubleNote({ trouble, trying, onAgain }: { trouble: NonNullable<State["trouble"]>; trying: boolean; onAgain: () => void }) {
  const say = useSay()
  const sayTrouble = useTrouble()
  const counts = trouble.kind === "limit"
  const now = useNow(counts)
  const passes = trying && (trouble.kind === "offline" || trouble.kind === "busy")
  return (
    <div role={trying ? "status" : "alert"} className="mb-2 flex items-center justify-between gap-3 rounded-lg bg-warn-soft px-4 py-2.5 text-ui text-warn">
      <span className="min-w-0 break-words" aria-live={counts ? "off" : undefined}>
        {sayTrouble(trouble, passes, now)}
      </span>
      {!trying && trouble.kind !== "refused" && trouble.kind !== "large" && trouble.kind !== "limit" && (
        <button type="button" onClick={onAgain} className="shrink-0 rounded-md px-2 py-1 font-medium underline underline-offset-3">
          {say(trouble.kind === "gone" ? "app.new" : "trouble.again")}
        </button>
      )}
    </div>
  )
}
