import { useEffect, useRef, useState } from "react"

import type { TurnFeed } from "../feed/state"
import { type Key, useT } from "../i18n"

/** Tells people who listen to the page when a turn begins and how it ends. */
export function Announcer({ turns, running }: { turns: Record<string, TurnFeed>; running?: string }) {
  const t = useT()
  const before = useRef(running)
  const [said, setSaid] = useState<Extract<Key, `announce.${string}`>>()
  useEffect(() => {
    const ended = before.current !== running ? before.current : undefined
    before.current = running
    const state = ended === undefined ? undefined : turns[ended]?.turn?.state
    if (state && state !== "running") setSaid(`announce.${state}`)
    else if (running) setSaid("announce.running")
  }, [running, turns])
  return (
    <p role="status" className="sr-only">
      {said && t(said)}
    </p>
  )
}
