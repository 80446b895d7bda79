import { lazy, memo, Suspense } from "react"

import type { Message } from "../../api/types"
import { useT } from "../../i18n"
import { activityOf } from "../feed/activity"
import { emptyTurnFeed, type TurnFeed } from "../feed/state"
import { type Entry, tellsOfContext, tellTurn } from "../feed/story"
import { useConversationContext } from "../shared/context"
import { TaskEnd } from "../tasks/TaskEnd"
import { ActivityLine } from "./ActivityLine"
import { AnswerText } from "./AnswerText"
import { AutomaticMessage } from "./AutomaticMessage"
import { CompactionNote } from "./CompactionNote"
import type { DeliveryState } from "./Delivery"
import { Notice } from "./Notice"
import { skipOffscreen } from "./offscreen"
import { sourcesOf } from "./sources"
import { Thought } from "./Thought"
import { ToolList } from "./ToolList"
import { TurnFooter } from "./TurnFooter"
import { AsideLine, Continued, UserMessages, Superseded } from "./UserMessages"

const Sources = lazy(() => import("./Sources"))

interface Props {
  messages: Message[]
  feed?: TurnFeed
  /** The session names this turn as its running one although no event of the turn came yet. */
  running: boolean
}

/** One turn as a story: question, steps, answer, and how it ended. */
export const TurnView = memo(function TurnView({ messages, feed = emptyTurnFeed, running }: Props) {
  const t = useT()
  const { reconnected } = useConversationContext()
  const delivery = deliveryOf(messages, feed, running)
  const entries = tellTurn(messages, feed)
  const noted = messages.some(isNotice)
  return (
    <article ref={running ? undefined : skipOffscreen} aria-label={t("turn.label")} className="space-y-3">
      {entries.map((entry) => (
        <EntryView key={entry.id} entry={entry} delivery={delivery} ended={!running} noted={noted} />
      ))}
      {running ? (
        <ActivityLine voice={activityOf(messages, feed, reconnected)} startedAt={feed.turn?.started_at} />
      ) : (
        <Ending messages={messages} feed={feed} entries={entries} />
      )}
    </article>
  )
})

interface EntryProps {
  entry: Entry
  delivery?: DeliveryState
  ended: boolean
  /** The product has said something in this turn, so an early end needs no other words. */
  noted: boolean
}

function EntryView({ entry, delivery, ended, noted }: EntryProps) {
  const t = useT()
  switch (entry.kind) {
    case "question":
      return <UserMessages messages={entry.messages} taken={entry.taken} delivery={delivery} />
    case "superseded":
      return <Superseded message={entry.message} />
    case "aside":
      return <AsideLine origin={entry.origin} messages={entry.messages} />
    case "continued":
      return <Continued />
    case "silent":
      return <p className="text-small text-ink-3 italic">{t("turn.silent")}</p>
    case "background":
      return <TaskEnd content={entry.message.content} />
    case "told":
      return <AutomaticMessage message={entry.message} />
    case "thought":
      return <Thought text={entry.text} live={entry.live} />
    case "text":
      return (
        <AnswerText
          text={entry.text}
          live={entry.live}
          gap={entry.gap}
          finish={noted && entry.finish === "stopped" ? undefined : entry.finish}
          message={entry.message}
          undelivered={entry.undelivered}
        />
      )
    case "tools":
      return <ToolList calls={entry.calls} ended={ended} />
    case "restarted":
      return <p className="text-small text-ink-2">{t("turn.restarted", { attempt: entry.attempt })}</p>
    case "compaction":
      return <CompactionNote message={entry.message} />
    case "notice":
      return <Notice text={entry.message.content} grave={delivery === "failed" || delivery === "lost"} />
  }
}

/** An ending that nothing else explains is told in words; then the footer. */
function Ending({ messages, feed, entries }: { messages: Message[]; feed: TurnFeed; entries: Entry[] }) {
  const t = useT()
  const words = endingOf(messages, feed)
  const answer = messages.findLast((message) => message.role === "assistant")?.content
  const sources = answer ? sourcesOf(entries.flatMap((entry) => (entry.kind === "tools" ? entry.calls : [])), answer) : []
  return (
    <>
      {sources.length > 0 && (
        <Suspense>
          <Sources sources={sources} />
        </Suspense>
      )}
      {words && <p className="text-small text-ink-2">{t(words)}</p>}
      {messages.some((message) => message.role !== "user") || feed.turn ? <TurnFooter turn={feed.turn} messages={messages} /> : null}
    </>
  )
}

/** The product says how the turn went. */
const isNotice = (message: Message) => message.role === "notice" && !tellsOfContext(message)

function endingOf(messages: Message[], feed: TurnFeed) {
  const state = feed.turn?.state
  if (messages.some((message) => isNotice(message) || (message.finish_reason === "stopped" && message.content !== ""))) return undefined
  if (state === "stopped") return "turn.outcomeStopped"
  if (state === "failed") return "turn.outcomeFailed"
  if (state === "lost") return "turn.outcomeLost"
  const last = messages.at(-1)
  const silent = state === "done" && last?.content === "" && !last.silent
  return silent ? "turn.outcomeSilent" : undefined
}

function deliveryOf(messages: Message[], feed: TurnFeed, running: boolean): DeliveryState | undefined {
  const state = feed.turn?.state
  if (running) return "running"
  if (state === "done") return "answered"
  if (state && state !== "running") return state
  return messages.some((message) => message.role === "assistant") ? "answered" : undefined
}
