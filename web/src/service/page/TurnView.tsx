import { memo } from "react"

import { FileView } from "../answer/FileView"
import { LazyAnswer } from "../answer/LazyAnswer"
import type { Message } from "../api/types"
import type { Live, Step, Turn } from "../chat/live"
import { useSay } from "../lib/language"
import { CopyButton } from "../ui/CopyButton"
import { AttachmentList } from "./AttachmentList"
import { Steps } from "./Steps"

interface Props {
  turn: Turn
  /** What the stream has told, while it is answered. */
  live: Live | undefined
  /** The files that go with it, while it is sent. */
  sending: File[] | undefined
}

/** What a visitor asked, and the answer. */
export const TurnView = memo(function TurnView({ turn, live, sending }: Props) {
  const say = useSay()
  const steps = live ? [...turn.steps, ...live.steps] : turn.steps
  const groups = groupsOf(steps)
  const text = steps
    .map((step) => step.text)
    .filter((part) => part.trim() !== "")
    .join("\n\n")
  const working = live !== undefined && (live.waiting !== undefined || !writes(live))
  return (
    <article aria-busy={live !== undefined} className="mt-10 first:mt-0">
      {turn.task && <h2 className="mb-1 text-small font-medium text-ink-3">{say("turn.task")}</h2>}
      {turn.asked && <Asked message={turn.asked} sending={sending} />}
      <div className="space-y-3">
        {groups.map((group, n) =>
          group.text === undefined ? (
            <Steps key={n} steps={group.steps} running={live !== undefined && n === groups.length - 1} />
          ) : (
            <div key={n}>
              {group.person && <p className="mb-1 text-small font-medium text-accent">{say("turn.person")}</p>}
              <LazyAnswer text={group.text} live={live !== undefined && n === groups.length - 1 && writes(live)} />
            </div>
          ),
        )}
        {working && (
          <p role="status" className="flex items-center gap-2.5 text-ink-2">
            <span aria-hidden className="working size-2 shrink-0 rounded-full bg-accent" />
            {live.waiting ?? say("turn.working")}
          </p>
        )}
        {turn.stopped && <p className="text-small text-ink-3">{say("turn.stopped")}</p>}
        {turn.error !== undefined && turn.error !== "" && <p className="rounded-md bg-danger-soft px-4 py-2.5 break-words text-danger">{say("turn.failed", { why: turn.error })}</p>}
      </div>
      {live === undefined && text !== "" && (
        <div className="mt-2 -ml-2">
          <CopyButton text={text} label="turn.copy" />
        </div>
      )}
    </article>
  )
})

/** Whether something of the answer is being written right now. */
const writes = (live: Live): boolean => {
  const last = live.steps.at(-1)
  return last !== undefined && !last.closed && last.text !== "" && last.calls.length === 0
}

interface Group {
  /** A text of the answer; undefined: steps between texts. */
  text?: string
  steps: Step[]
  /** A person wrote the text. */
  person?: boolean
}

/** The texts of an answer, and between them what was done, as one group each. */
function groupsOf(steps: Step[]): Group[] {
  const groups: Group[] = []
  const between = (step: Step) => {
    const last = groups.at(-1)
    if (last && last.text === undefined) last.steps.push(step)
    else groups.push({ steps: [step] })
  }
  for (const step of steps) {
    if (step.thinking !== "") between({ ...step, text: "", calls: [] })
    if (step.text.trim() !== "") groups.push({ text: step.text, steps: [], person: step.person })
    if (step.calls.length > 0) between({ ...step, thinking: "", text: "" })
  }
  return groups
}

function Asked({ message, sending }: { message: Message; sending: File[] | undefined }) {
  const say = useSay()
  const attachments = message.attachments ?? []
  return (
    <div className="mb-6 flex flex-col items-end gap-2">
      <h2 className="sr-only">{say("feed.you")}</h2>
      {attachments.length > 0 && (
        <ul className="flex max-w-[85%] flex-wrap justify-end gap-2">
          {attachments.map(({ path, name }) => (
            <li key={path} className="max-w-full [&_img]:my-0 [&_img]:max-h-56">
              <FileView from="attachments" path={path} as="shown" alt={name} />
            </li>
          ))}
        </ul>
      )}
      {sending && sending.length > 0 && <AttachmentList files={sending} />}
      {message.content !== "" && <div className="max-w-[85%] rounded-xl rounded-br-sm bg-sunken px-4 py-2.5 text-body break-words whitespace-pre-wrap">{message.content}</div>}
      {sending && (
        <p role="status" className="text-small text-ink-3">
          {say(sending.length > 0 ? "turn.uploading" : "turn.sending")}
        </p>
      )}
    </div>
  )
}
