import { useAccount } from "../account/account"
import { useT } from "../i18n"
import { returnToDraft } from "../outbox/drafts"
import type { Unsent } from "../outbox/outbox"
import type { DroppedMessage, FeedState } from "./feed/state"
import { useConversationContext } from "./shared/context"
import { UserMessage } from "./turn/UserMessage"
import { WaitingMessage } from "./WaitingMessage"

interface Props {
  feed: FeedState
  unsent: Unsent[]
  running: boolean
  onEdit: (text: string) => void
  /** Forgets a message that ended without a turn. */
  onForget: (inbox: number) => void
}

/** Messages without a turn: dropped ones with the reason, accepted ones in their order, and those still on their way. */
export function WaitingMessages({ feed, unsent, running, onEdit, onForget }: Props) {
  return (
    <>
      {feed.dropped.map((dropped) => (
        <Dropped key={`d${dropped.inbox_id}`} dropped={dropped} onForget={() => onForget(dropped.inbox_id)} />
      ))}
      {feed.queued.map((queued, n) => (
        <WaitingMessage key={`w${queued.inbox_id}`} queued={queued} place={n + 1} running={running} />
      ))}
      {unsent.map((entry) => (
        <UnsentQuestion key={entry.id} entry={entry} onEdit={onEdit} />
      ))}
    </>
  )
}

/** A message that no turn of its own answers, and why. Its words can be written again. */
function Dropped({ dropped: { message, outcome, text }, onForget }: { dropped: DroppedMessage; onForget: () => void }) {
  const t = useT()
  const { sessionKey } = useConversationContext()
  const struck = outcome === "recalled" || outcome === "superseded"
  const again = () => {
    if (message) returnToDraft(sessionKey, message.text)
    onForget()
  }
  return (
    <UserMessage text={message?.text ?? "…"} sender={message?.sender} struck={struck} delivery={struck ? undefined : outcome === "summarized" ? "summarized" : "dropped"}>
      <p className="mt-0.5 max-w-[34rem] pr-1 text-right text-small text-ink-2">{text}</p>
      {message && outcome !== "superseded" && outcome !== "summarized" && (
        <div className="mt-1 flex gap-3 pr-1 text-small">
          <Choice text={t("delivery.writeAgain")} onPress={again} />
          <Choice text={t("delivery.discard")} onPress={onForget} />
        </div>
      )}
    </UserMessage>
  )
}

function UnsentQuestion({ entry, onEdit }: { entry: Unsent; onEdit: (text: string) => void }) {
  const t = useT()
  const { outbox } = useAccount()
  const { link } = useConversationContext()
  if (entry.state !== "refused") {
    const state = entry.state === "accepted" ? "accepted" : link === "lost" ? "sendingLater" : "sending"
    return <UserMessage text={entry.text} delivery={state} />
  }
  const edit = () => {
    outbox.settle(entry.id)
    onEdit(entry.text)
  }
  return (
    <UserMessage text={entry.text} delivery="refused">
      <p role="alert" className="mt-0.5 max-w-[34rem] pr-1 text-right text-small text-ink-2">
        {entry.reason}
      </p>
      <div className="mt-1 flex gap-3 pr-1 text-small">
        <Choice text={t("delivery.again")} onPress={() => outbox.again(entry.id)} />
        <Choice text={t("delivery.edit")} onPress={edit} />
        <Choice text={t("delivery.discard")} onPress={() => outbox.settle(entry.id)} />
      </div>
    </UserMessage>
  )
}

function Choice({ text, onPress }: { text: string; onPress: () => void }) {
  return (
    <button type="button" onClick={onPress} className="rounded-sm text-ink-2 underline underline-offset-3 hover:text-ink">
      {text}
    </button>
  )
}
