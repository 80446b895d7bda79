import { useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useRef } from "react"

import { useT } from "../i18n"
import { toast } from "../ui/toasts"
import type { Conversation } from "./feed/conversation"
import type { FeedState } from "./feed/state"

/** Milliseconds that the message stays marked. */
const MARKED_FOR = 2500

/** Goes to the message that the address names (?m=), reading earlier ones until it is there; then the address names none. */
export function useJump(conversation: Conversation, feed: FeedState, leaveEnd: () => void): void {
  const t = useT()
  const navigate = useNavigate()
  const { m: wanted } = useSearch({ strict: false })
  const reading = useRef(false)
  const { loaded, messages, hasMore } = feed
  const oldest = messages[0]?.id
  useEffect(() => {
    if (wanted === undefined || !loaded) return
    const done = () => void navigate({ to: "/c/$key", params: { key: conversation.key }, search: {}, replace: true })
    const failed = (reason: string) => {
      toast(reason)
      done()
    }
    leaveEnd()
    if (oldest !== undefined && oldest <= wanted) {
      if (!show(wanted)) failed(t("search.gone"))
      else done()
    } else if (!hasMore) failed(t("search.gone"))
    else if (!reading.current) {
      reading.current = true
      conversation
        .readOlder()
        .catch((error: unknown) => failed(t("conversation.olderFailed", { reason: error instanceof Error ? error.message : "" })))
        .finally(() => (reading.current = false))
    }
  }, [wanted, loaded, oldest, hasMore, conversation, leaveEnd, navigate, t])
}

/** Brings a message into view and marks it for a while; one that is not drawn by itself is shown by what stands before it. */
function show(id: number): boolean {
  const drawn = [...document.querySelectorAll<HTMLElement>("[data-message]")]
  const element = drawn.findLast((candidate) => Number(candidate.dataset.message) <= id)
  if (!element) return false
  const center = () => element.scrollIntoView({ block: "center" })
  requestAnimationFrame(center)
  element.classList.add("found")
  const observer = new ResizeObserver(center) // Markdown above may still grow
  for (const earlier of drawn) observer.observe(earlier)
  const own = new AbortController()
  const letGo = () => {
    observer.disconnect()
    own.abort()
  }
  for (const name of ["wheel", "touchstart", "keydown", "pointerdown"]) addEventListener(name, letGo, { signal: own.signal, passive: true })
  setTimeout(() => {
    letGo()
    element.classList.remove("found")
  }, MARKED_FOR)
  return true
}
