import { CornerDownRight, Pencil, Play } from "lucide-react"
import { lazy, Suspense, useEffect, useRef, useState } from "react"

import type { Message } from "../../api/types"
import { useT } from "../../i18n"
import { cx } from "../../lib/cx"
import { IconButton } from "../../ui/IconButton"
import { BranchSwitch } from "./BranchSwitch"
import type { DeliveryState } from "./Delivery"
import { RewindButton } from "./RewindButton"
import { UserMessage } from "./UserMessage"

const GroupMessages = lazy(() => import("./GroupMessages"))
const UserMessageEditor = lazy(() => import("./UserMessageEditor"))

interface Props {
  messages: Message[]
  /** The turn was at work already and took them in between two steps. */
  taken: boolean
  delivery?: DeliveryState
}

/** What was asked: one message, or several that came together and are answered once. */
export function UserMessages({ messages, taken, delivery }: Props) {
  const t = useT()
  const last = messages.at(-1)
  const [editing, setEditing] = useState(false)
  const edit = useRef<HTMLButtonElement>(null)
  const returning = useRef(false)
  useEffect(() => {
    if (!editing && returning.current) edit.current?.focus()
    returning.current = editing
  }, [editing])
  const [first] = messages
  if (editing) {
    return (
      <Suspense>
        <UserMessageEditor messages={messages} onDone={() => setEditing(false)} />
      </Suspense>
    )
  }
  const actions = first && (
    <>
      <BranchSwitch message={first} />
      <IconButton small ref={edit} label={t("branch.edit")} onClick={() => setEditing(true)} className={shy}>
        <Pencil size={14} aria-hidden />
      </IconButton>
      <RewindButton message={first} />
    </>
  )
  return (
    <div className={cx("space-y-2", taken ? "py-1" : "pb-2")}>
      {messages.map((message) => (
        <UserMessage
          key={message.id}
          text={message.content}
          sender={message.sender}
          message={message.id}
          delivery={!taken && message === last ? delivery : undefined}
          action={!taken && message === last ? actions : undefined}
          pictures={message.pictures}
        />
      ))}
      {taken && <Line icon="taken" text={t("question.taken", { count: messages.length })} end={!last?.sender} />}
      {!taken && messages.length > 1 && <Line text={t("question.burst", { count: messages.length })} end={!last?.sender} />}
    </div>
  )
}

/** Shown when somebody reaches for it. */
const shy = "opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100"

function Line({ icon, text, end }: { icon?: "taken"; text: string; end: boolean }) {
  return (
    <p className={cx("flex items-center gap-1 pr-1 text-small text-ink-3", end ? "justify-end" : "pl-9")}>
      {icon && <CornerDownRight size={13} aria-hidden />}
      {text}
    </p>
  )
}

/** A message that a newer one replaced before it was answered. */
export function Superseded({ message }: { message: Message }) {
  const t = useT()
  return (
    <UserMessage text={message.content} sender={message.sender} message={message.id} struck>
      <p className={cx("mt-0.5 text-small text-ink-3", message.sender ? "pl-9" : "pr-1")}>{t("question.superseded")}</p>
    </UserMessage>
  )
}

/** Somebody asked to go on with a turn that had ended early. */
export function Continued() {
  const t = useT()
  return (
    <p className="flex items-center gap-2 text-small text-ink-3">
      <Play size={13} aria-hidden /> {t("question.continued")}
    </p>
  )
}

/** What was said before without a word to the bot, or was dropped by a full queue: one line that opens. */
export function AsideLine({ origin, messages }: { origin: "overheard" | "summarized"; messages: Message[] }) {
  return (
    <Suspense>
      <GroupMessages origin={origin} messages={messages} />
    </Suspense>
  )
}
