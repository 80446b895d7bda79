import { useCallback, useMemo } from "react"

import { useStore } from "../../lib/store"
import { ConversationId } from "../answer/context"
import type { Conversation } from "../chat/conversation"
import { type Turn, turnsOf } from "../chat/live"
import { useSay } from "../lib/language"
import { Announcer } from "./Announcer"
import { Composer } from "./Composer"
import { Feed } from "./Feed"
import { TroubleNote } from "./TroubleNote"
import { useFiles } from "./useFiles"
import { Welcome } from "./Welcome"

/** The open conversation: what was said, and where to write. */
export function Chat({ conversation, onNew }: { conversation: Conversation; onNew: () => void }) {
  const say = useSay()
  const state = useStore(conversation.state)
  const files = useFiles()
  const { messages, live, pending, doing, trouble, failed, by, task } = state
  const busy = doing !== "idle"
  const running = doing === "running" || doing === "stopping"
  const turns = useMemo(() => {
    const all = turnsOf(messages, running, task)
    if (pending) {
      const { text, attachments } = pending
      all.push({ id: "pending", asked: { id: "pending", role: "user", content: text, attachments }, steps: [] })
    }
    const last = all.at(-1)
    if (failed !== undefined && !running && last?.steps.length === 0) last.error ??= failed
    return all
  }, [messages, pending, running, failed, task])
  const current: Turn | undefined = running ? (turns.find(({ id }) => id === task) ?? turns.at(-1)) : undefined
  const ask = useCallback((text: string, given: File[] = []) => conversation.send(text, given), [conversation])
  const blank = turns.length === 0 && doing !== "loading" && !busy && trouble?.kind !== "gone"
  return (
    <ConversationId value={state.id}>
      <main className="relative flex min-h-0 flex-1 flex-col" {...files.dropping}>
        {blank ? <Welcome onAsk={ask} /> : <Feed turns={turns} live={live} current={current} pending={pending} doing={doing} />}
        <Announcer live={live} turn={current?.id} said={messages.findLast((message) => message.by === "person")} />
        <div className="mx-auto w-full max-w-[calc(var(--container-column)+2.5rem)] shrink-0 px-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] md:px-5 md:pb-5">
          {by === "person" && (
            <p role="status" className="mb-2 flex items-center gap-2.5 px-4 text-ui text-ink-2">
              <span aria-hidden className="size-2 shrink-0 rounded-full bg-accent" />
              {say("turn.personAnswers")}
            </p>
          )}
          {trouble && <TroubleNote trouble={trouble} trying={busy} onAgain={trouble.kind === "gone" ? onNew : () => conversation.again()} />}
          <Composer key={keyOf(conversation)} conversation={conversation} files={files} onSend={ask} />
        </div>
        {files.over && (
          <div className="pointer-events-none absolute inset-2 z-30 flex items-center justify-center rounded-xl border-2 border-dashed border-accent bg-canvas/90 text-body font-medium text-accent">{say("compose.drop")}</div>
        )}
      </main>
    </ConversationId>
  )
}

const numbers = new WeakMap<Conversation, number>()
let last = 0

/** Tells conversations apart before they have ids. */
function keyOf(conversation: Conversation): number {
  const known = numbers.get(conversation)
  if (known !== undefined) return known
  numbers.set(conversation, ++last)
  return last
}
