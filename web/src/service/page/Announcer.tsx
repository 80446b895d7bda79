import { useEffect, useRef, useState } from "react"

import type { Message } from "../api/types"
import type { Live } from "../chat/live"
import { endOfSentences, spoken } from "./sentences"

/** Sentences that wait to be read at most. */
const KEPT = 12

interface Props {
  live: Live
  turn: string | undefined
  /** What a person wrote last. */
  said: Message | undefined
}

/** Reads the answer aloud, sentence by sentence as they are written, and what a person writes, for those who do not see it. */
export function Announcer({ live, turn, said }: Props) {
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
  const heard = useRef(said?.id)
  useEffect(() => {
    if (said === undefined || said.id === heard.current) return
    heard.current = said.id
    const { content } = said
    setLines((old) => [...old, { id: ++read.current.ids, text: spoken(content) }].slice(-KEPT))
  }, [said])
  return (
    <div aria-live="polite" aria-relevant="additions" className="sr-only" data-announcer>
      {lines.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  )
}
