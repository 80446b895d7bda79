import { ArrowDown } from "lucide-react"
import { useEffect, useRef, useState } from "react"

import type { State } from "../chat/conversation"
import type { Live, Turn } from "../chat/live"
import { useSay } from "../lib/language"
import { service } from "../lib/service"
import { IconButton } from "../ui/IconButton"
import { TurnView } from "./TurnView"

interface Props {
  turns: Turn[]
  live: Live
  /** The turn that is being answered. */
  current: Turn | undefined
  pending: State["pending"]
  doing: State["doing"]
}

/** Pixels from the end within which a reader follows what is written. */
const NEAR = 80

/** What was said, newest at the end. It follows what is written as long as the reader stands at the end. */
export function Feed({ turns, live, current, pending, doing }: Props) {
  const say = useSay()
  const list = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const [away, setAway] = useState(false)
  const toEnd = () => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight
  }
  useEffect(() => {
    if (follows.current) toEnd()
  }, [turns, live])
  useEffect(() => {
    if (doing !== "sending") return
    follows.current = true // who sends wants to see the answer
    toEnd()
  }, [doing])
  useEffect(() => {
    const content = list.current?.firstElementChild
    if (!content) return
    const grows = new ResizeObserver(() => {
      if (follows.current) toEnd()
    })
    grows.observe(content)
    return () => grows.disconnect()
  }, [])
  const scrolled = () => {
    const { scrollHeight, scrollTop, clientHeight } = list.current ?? { scrollHeight: 0, scrollTop: 0, clientHeight: 0 }
    follows.current = scrollHeight - scrollTop - clientHeight < NEAR
    setAway(!follows.current)
  }
  return (
    <div className="relative min-h-0 flex-1">
      <h1 className="sr-only">{service.name}</h1>
      <div ref={list} onScroll={scrolled} tabIndex={0} role="region" aria-label={say("feed.label")} className="fade-edges h-full overflow-y-auto -outline-offset-2">
        <div className="mx-auto w-full max-w-[calc(var(--container-column)+2.5rem)] px-5 py-6">
          {doing === "loading" && turns.length === 0 && <p className="text-ink-3">{say("feed.loading")}</p>}
          {turns.map((turn, n) => (
            <TurnView key={n} turn={turn} live={turn === current ? live : undefined} sending={turn.id === "pending" && doing === "sending" ? (pending?.files ?? []) : undefined} />
          ))}
        </div>
      </div>
      {away && (
        <div className="absolute bottom-2 left-1/2 -translate-x-1/2 rounded-full border border-line-strong bg-overlay shadow-field">
          <IconButton
            small
            label={say("feed.latest")}
            className="rounded-full"
            onClick={() => {
              follows.current = true
              toEnd()
            }}
          >
            <ArrowDown size={17} aria-hidden />
          </IconButton>
        </div>
      )}
    </div>
  )
}
