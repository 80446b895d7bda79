import { useEffect } from "react"

import { useAccount } from "../account/account"
import { refreshSessions } from "../api/queries"
import { useStore } from "../lib/store"
import type { Unsent } from "../outbox/outbox"
import { isAskingNow } from "./feed/activity"
import { conversationOf, type Conversation } from "./feed/conversation"
import { runningTurn } from "./feed/state"
import { markSeen } from "./feed/unread"

/** Reads a conversation while the component is there, and keeps outbox and side bar in step with it. */
export function useConversation(key: string) {
  const conversation = conversationOf(key)
  useEffect(() => conversation.read(), [conversation])
  const feed = useStore(conversation.feed)
  const link = useStore(conversation.link)
  const skew = useStore(conversation.skew)
  const unsent = useUnsent(conversation)
  const running = runningTurn(feed)
  useEffect(() => {
    if (feed.loaded && document.visibilityState === "visible") markSeen(key, feed.seq)
  }, [key, feed.loaded, feed.seq])
  const { title } = feed.session ?? {}
  const asking = isAskingNow(feed)
  useEffect(refreshSessions, [running, title, asking])
  return { conversation, feed, link, skew, unsent, running, asking }
}

/** Messages of this conversation that the feed does not show yet. */
function useUnsent(conversation: Conversation): Unsent[] {
  const { outbox } = useAccount()
  const entries = useStore(outbox.entries)
  const feed = useStore(conversation.feed)
  const mine = entries.filter((entry) => entry.key === conversation.key)
  const shown = new Set([...feed.messages, ...feed.queued, ...feed.dropped.map((dropped) => dropped.message)].map((entry) => entry?.client_message_id))
  const arrived = mine.filter((entry) => shown.has(entry.id)).map((entry) => entry.id)
  useEffect(() => {
    for (const id of arrived) outbox.settle(id)
  })
  const accepted = mine.some((entry) => entry.state === "accepted")
  const missing = useStore(conversation.link) === "missing"
  const { retry } = conversation
  useEffect(() => {
    // The first message made the session: now there is something to read. That it was missing may be heard after that.
    if (accepted && missing) retry()
  }, [accepted, missing, retry])
  return mine.filter((entry) => !shown.has(entry.id))
}
