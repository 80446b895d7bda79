import { useEffect, useRef, useState } from "react"

import type { Live } from "../chat/live"
import { endOfSentences, spoken } from "./sentences"

/** Sentences that wait to be read at most. */
const KEPT = 12

/** Reads the answer aloud, sentence by sentence as they are written, for those who do not see it. */
export function Announcer({ live, turn }: { live: Live; turn: string | undefined }) {
  const [lines, setLines] = useState<{ id: number; text: string }[]>([])
  const read = useRef({ turn, length: 0, ids: 0, text: "" })
  const text = live.steps.map((step) => step.text).join("\n")
  useEffect(() => {
    const now = read.current
    if (turn !== now.turn && turn !== undefined) {
      if (now.turn !== "pending") now.length = 0 // else it is the same turn, which has its id now
      now.turn = turn
    }
    const ended = turn === undefined // the rest of the last answer
    const whole = ended ? now.text : text
    const end = ended ? whole.length : endOfSentences(whole)
    if (!ended) now.text = text
    if (end <= now.length) return
    const sentence = spoken(whole.slice(now.length, end))
    now.length = end
    if (sentence !== "") setLines((old) => [...old, { id: ++now.ids, text: sentence }].slice(-KEPT))
  }, [text, turn])
  return (
    <div aria-live="polite" aria-relevant="additions" className="sr-only" data-announcer>
      {lines.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  )
}
