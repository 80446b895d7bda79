import { ArrowDown } from "lucide-react"
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react"

import { useT } from "../i18n"
import { useStore } from "../lib/store"
import type { Unsent } from "../outbox/outbox"
import { IconButton } from "../ui/IconButton"
import type { Conversation } from "./feed/conversation"
import { groupByTurn, lastReset, type MessageGroup } from "./feed/groups"
import type { FeedState } from "./feed/state"
import { ForkNote } from "./ForkNote"
import { OlderButton } from "./OlderButton"
import { ResetLine } from "./ResetLine"
import { ScrollKeeper } from "./ScrollKeeper"
import { CommandView } from "./turn/CommandView"
import { CompactionNote } from "./turn/CompactionNote"
import { TurnView } from "./turn/TurnView"
import { useJump } from "./useJump"
import { WaitingMessages } from "./WaitingMessages"

interface Props {
  conversation: Conversation
  feed: FeedState
  unsent: Unsent[]
  running?: string
  onEdit: (text: string) => void
}

/** Everything that was said, oldest first, then what waits. */
export function Timeline({ conversation, feed, unsent, running, onEdit }: Props) {
  const t = useT()
  const box = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const groups = useMemo(() => groupByTurn(feed.messages), [feed.messages])
  const [{ attach, away: awayStore, prepended, toEnd, leaveEnd }] = useState(() => new ScrollKeeper())
  const away = useStore(awayStore)
  const first = feed.messages[0]?.id
  useLayoutEffect(prepended, [prepended, first])
  useEffect(() => {
    if (box.current && content.current) return attach(box.current, content.current)
  }, [attach])
  const newest = unsent.at(-1)?.id
  useEffect(() => {
    if (newest) toEnd() // what one has just sent is what one wants to see
  }, [newest, toEnd])
  useJump(conversation, feed, leaveEnd)
  const forgotten = Math.max(0, lastReset(groups))
  const draw = (group: MessageGroup) => <GroupView key={group.id} group={group} feed={feed} running={running} newest={group === groups[forgotten]} />
  const empty = feed.loaded && groups.length === 0 && unsent.length === 0 && feed.queued.length === 0
  return (
    <div className="relative min-h-0 flex-1">
      <div ref={box} className="fade-edges h-full overflow-x-hidden overflow-y-auto" style={{ overflowAnchor: "none" }}>
        <div ref={content} className="mx-auto max-w-column space-y-10 px-4 pt-6 pb-10 lg:px-0">
          {feed.hasMore && <OlderButton conversation={conversation} />}
          {feed.loaded && !feed.hasMore && feed.session?.fork_of && <ForkNote of={feed.session.fork_of} />}
          {empty && <p className="pt-8 text-center text-ink-3">{t("conversation.empty")}</p>}
          {forgotten > 0 && (
            <div role="group" aria-label={t("reset.before")} className="forgotten space-y-10">
              {groups.slice(0, forgotten).map(draw)}
            </div>
          )}
          {groups.slice(forgotten).map(draw)}
          <WaitingMessages feed={feed} unsent={unsent} running={running !== undefined} onEdit={onEdit} onForget={conversation.forget} />
        </div>
      </div>
      {away && (
        <div className="absolute inset-x-0 bottom-3 flex justify-center">
          <IconButton label={t("conversation.latest")} onClick={toEnd} className="border border-line bg-overlay shadow-overlay">
            <ArrowDown size={17} aria-hidden />
          </IconButton>
        </div>
      )}
    </div>
  )
}

function GroupView({ group, feed, running, newest }: { group: MessageGroup; feed: FeedState; running?: string; newest: boolean }) {
  const [first] = group.messages
  if (group.reset && first) return <ResetLine message={first} newest={newest} />
  if (group.command) return <CommandView messages={group.messages} settled={group.settled} />
  if (group.context && first) return <CompactionNote message={first} />
  const { id, turn, messages } = group
  return <TurnView key={id} messages={messages} feed={turn ? feed.turns[turn] : undefined} running={turn !== undefined && turn === running} />
}
