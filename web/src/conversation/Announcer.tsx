import { useEffect, useRef, useState } from "react"

import { type Key, useT } from "../i18n"
import type { TurnFeed } from "./feed/state"

interface Props {
  turns: Record<string, TurnFeed>
  running?: string
  /** The running turn waits for a person. */
  asking: boolean
}

/** Tells people who listen to the page when a turn begins, when it waits for them, and how it ends. */
export function Announcer({ turns, running, asking }: Props) {
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
      {asking ? t("announce.asking") : said && t(said)}
    </p>
  )
}
