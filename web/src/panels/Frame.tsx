import { useEffect, useRef, useState } from "react"

import { askPanel } from "../api/panels"
import { asProblem } from "../api/problem"
import { useLanguage } from "../i18n"
import { panelsWords } from "../i18n/panels"
import { useTable } from "../i18n/table"
import { Note } from "../ui/Note"
import { useColorScheme } from "../ui/useColorScheme"
import { newPace, readMessage } from "./messages"

interface Props {
  url: string
  plugin: string
  widget: string
  title: string
}

/** Requests of a panel that may be on their way at once. */
const ASKS_MOST = 4
/** Pixels that a panel is high before it says so itself. */
const HEIGHT_FIRST = 420

/** The frame of a panel. It has an origin of its own, and nothing of this page but the answers to its messages. */
export function Frame({ url, plugin, widget, title }: Props) {
  const say = useTable(panelsWords)
  const language = useLanguage()
  const theme = useColorScheme()
  const frame = useRef<HTMLIFrameElement>(null)
  const now = useRef({ language, theme, title })
  const [height, setHeight] = useState(HEIGHT_FIRST)
  const [dropped, setDropped] = useState(false)

  useEffect(() => {
    now.current = { language, theme, title }
    // The frame has no origin that could be named; its window is the address.
    frame.current?.contentWindow?.postMessage({ xbot: 1, event: "look", params: now.current }, "*")
  }, [language, theme, title])

  useEffect(() => {
    const inPace = newPace()
    let asking = 0
    let over = false
    const take = async ({ source, data }: MessageEvent<unknown>) => {
      const to = frame.current?.contentWindow
      if (!to || source !== to) return
      const message = inPace() ? readMessage(data) : undefined
      if (!message || (message.method === "ask" && asking >= ASKS_MOST)) {
        setDropped(true)
        return
      }
      const answer = (rest: { result: unknown } | { error: string }) => !over && to.postMessage({ xbot: 1, id: message.id, ...rest }, "*")
      if (message.method === "ready") answer({ result: now.current })
      else if (message.method === "resize") {
        setHeight(message.height)
        answer({ result: null })
      } else {
        asking++
        try {
          answer({ result: await askPanel(plugin, widget, message.params, now.current.language) })
        } catch (error) {
          answer({ error: asProblem(error).message })
        } finally {
          asking--
        }
      }
    }
    const taken = (event: MessageEvent<unknown>) => void take(event)
    window.addEventListener("message", taken)
    return () => {
      over = true
      window.removeEventListener("message", taken)
    }
  }, [plugin, widget])

  return (
    <>
      {dropped && <Note tone="danger" className="mb-2">{say("dropped")}</Note>}
      <iframe ref={frame} src={url} title={title} sandbox="allow-scripts" referrerPolicy="no-referrer" allow="" loading="lazy" style={{ height }} className="block w-full rounded-md border-0" />
    </>
  )
}
