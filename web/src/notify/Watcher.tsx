import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useEffectEvent, useRef } from "react"

import { listTurns } from "../api/calls"
import { sessionsQuery } from "../api/queries"
import type { Session } from "../api/types"
import { useT } from "../i18n"
import { duration } from "../i18n/format"
import { notifyWords } from "../i18n/notify"
import { useTable } from "../i18n/table"
import { ended, longOne } from "./finished-turns"

/** Tells the person, while the page is hidden, of long turns that have ended. It draws nothing. */
export default function Watcher() {
  const t = useT()
  const say = useTable(notifyWords)
  const navigate = useNavigate()
  const { data } = useQuery({ ...sessionsQuery(""), refetchIntervalInBackground: true })
  const before = useRef<Session[]>([])
  const tell = useEffectEvent(async (session: Session, id: string) => {
    const turn = (await listTurns(session.key)).find((candidate) => candidate.id === id)
    const took = turn && longOne(turn)
    if (took === undefined || !document.hidden) return
    const notice = new Notification(session.title || say("untitled"), {
      body: say(turn?.state === "done" ? "done" : "failed", { time: duration(t, took) }),
      icon: "/icon.svg",
      tag: id, // other tabs of the page tell of it, too: the browser shows one
    })
    notice.onclick = () => {
      window.focus()
      void navigate({ to: "/c/$key", params: { key: session.key } })
      notice.close()
    }
  })
  useEffect(() => {
    if (!data) return
    for (const { session, turn } of document.hidden ? ended(before.current, data) : []) {
      tell(session, turn).catch((error: unknown) => console.error("nobody was told that a turn has ended", error))
    }
    before.current = data
  }, [data])
  return null
}
