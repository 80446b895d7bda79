import { useAccount } from "../app/account"
import { useConversationContext } from "./context"
import type { FeedState } from "../feed/state"
import { useT } from "../i18n"
import type { Unsent } from "../outbox/outbox"
import { Question } from "../turn/Question"

interface Props {
  feed: FeedState
  unsent: Unsent[]
  running: boolean
  onEdit: (text: string) => void
}

/** Messages without a turn: dropped ones with the reason, accepted ones in their order, and those still on their way. */
export function Waiting({ feed, unsent, running, onEdit }: Props) {
  return (
    <>
      {feed.dropped.map((dropped) => (
        <div key={`d${dropped.inbox_id}`}>
          <Question text={dropped.message?.text ?? "…"} delivery="dropped">
            <p className="mt-0.5 max-w-[34rem] pr-1 text-right text-small text-ink-2">{dropped.text}</p>
          </Question>
        </div>
      ))}
      {feed.queued.map((queued) => (
        <Question key={`w${queued.inbox_id}`} text={queued.text} delivery={running ? "queued" : "accepted"} />
      ))}
      {unsent.map((entry) => (
        <UnsentQuestion key={entry.id} entry={entry} onEdit={onEdit} />
      ))}
    </>
  )
}

function UnsentQuestion({ entry, onEdit }: { entry: Unsent; onEdit: (text: string) => void }) {
  const t = useT()
  const { outbox } = useAccount()
  const { link } = useConversationContext()
  if (entry.state !== "refused") {
    const state = entry.state === "accepted" ? "accepted" : link === "lost" ? "sendingLater" : "sending"
    return <Question text={entry.text} delivery={state} />
  }
  const edit = () => {
    outbox.settle(entry.id)
    onEdit(entry.text)
  }
  return (
    <Question text={entry.text} delivery="refused">
      <p role="alert" className="mt-0.5 max-w-[34rem] pr-1 text-right text-small text-ink-2">
        {entry.reason}
      </p>
      <div className="mt-1 flex gap-3 pr-1 text-small">
        <Choice text={t("delivery.again")} onPress={() => outbox.again(entry.id)} />
        <Choice text={t("delivery.edit")} onPress={edit} />
        <Choice text={t("delivery.discard")} onPress={() => outbox.settle(entry.id)} />
      </div>
    </Question>
  )
}

function Choice({ text, onPress }: { text: string; onPress: () => void }) {
  return (
    <button type="button" onClick={onPress} className="rounded-sm text-ink-2 underline underline-offset-3 hover:text-ink">
      {text}
    </button>
  )
}
