import { type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react"

import type { PictureRef } from "../../api/types"
import { useT } from "../../i18n"
import { cx } from "../../lib/cx"
import { AttachmentList } from "../files/AttachmentList"
import { attachedFiles } from "../files/attachments"
import { Pictures } from "../files/pictures/Pictures"
import { Delivery, type DeliveryState } from "./Delivery"

interface Props {
  text: string
  delivery?: DeliveryState
  /** Who wrote it, where several people write. */
  sender?: string
  /** Id of the message, by which it is found. */
  message?: number
  /** It was taken out of the queue by something newer, or by its writer. */
  struck?: boolean
  /** What can be done with it, shown when somebody reaches for it. */
  action?: ReactNode
  /** Pictures that came with it. */
  pictures?: PictureRef[] | null
  children?: ReactNode
}

/** What a person wrote, and how far it has come. Long texts are cut until asked for. */
export function UserMessage({ text, delivery, sender, message, struck, action, pictures, children }: Props) {
  const t = useT()
  const { words, files } = useMemo(() => attachedFiles(text), [text])
  const body = useRef<HTMLDivElement>(null)
  const [whole, setWhole] = useState(false)
  const [long, setLong] = useState(false)
  useLayoutEffect(() => {
    const element = body.current
    if (element && !whole) setLong(element.scrollHeight > element.clientHeight + 4)
  }, [text, whole])
  return (
    <div data-message={message} className={cx("group flex scroll-mt-6 flex-col", sender ? "items-start" : "items-end")}>
      {sender && <Sender name={sender} />}
      <div className={cx("max-w-[min(100%,34rem)] rounded-xl px-4 py-2.5", struck ? "border border-line text-ink-3" : "bg-sunken", sender && "ml-9")}>
        {!sender && <span className="sr-only">{t("question.by")}: </span>}
        <div ref={body} className={cx("text-body break-words whitespace-pre-wrap", !whole && "max-h-80 overflow-hidden", struck && "line-through decoration-line-strong")}>
          {words}
        </div>
        <AttachmentList files={files.filter((file) => !pictures?.some((picture) => picture.path === file.path))} />
        {pictures?.length ? (
          <div className={cx(words !== "" && "mt-2")}>
            <Pictures pictures={pictures} />
          </div>
        ) : null}
        {(long || whole) && (
          <button type="button" onClick={() => setWhole(!whole)} className="mt-1 text-small text-ink-2 underline underline-offset-3 hover:text-ink">
            {t(whole ? "question.less" : "question.more")}
          </button>
        )}
      </div>
      {(delivery || action) && (
        <div className={cx("mt-1 flex min-h-7 items-center gap-1", sender && "ml-9 flex-row-reverse")}>
          {action}
          {delivery && <Delivery state={delivery} />}
        </div>
      )}
      {children}
    </div>
  )
}

/** Name and initial of who wrote, where several people write. */
function Sender({ name }: { name: string }) {
  return (
    <p className="mb-1 flex items-center gap-2 text-small font-medium text-ink-2">
      <span aria-hidden className="grid size-7 place-items-center rounded-full bg-accent-soft font-semibold text-accent uppercase">
        {Array.from(name.trim())[0]}
      </span>
      {name}
    </p>
  )
}
