import { type ReactNode, useLayoutEffect, useRef, useState } from "react"

import { useT } from "../i18n"
import { cx } from "../lib/cx"
import { Delivery, type DeliveryState } from "./Delivery"

interface Props {
  text: string
  delivery?: DeliveryState
  /** What can be done with it, shown when somebody reaches for it. */
  action?: ReactNode
  children?: ReactNode
}

/** What the person wrote, and how far it has come. Long texts are cut until asked for. */
export function Question({ text, delivery, action, children }: Props) {
  const t = useT()
  const body = useRef<HTMLDivElement>(null)
  const [whole, setWhole] = useState(false)
  const [long, setLong] = useState(false)
  useLayoutEffect(() => {
    const element = body.current
    if (element && !whole) setLong(element.scrollHeight > element.clientHeight + 4)
  }, [text, whole])
  return (
    <div className="group flex flex-col items-end">
      <div className="max-w-[min(100%,34rem)] rounded-xl bg-sunken px-4 py-2.5">
        <span className="sr-only">{t("question.by")}: </span>
        <div ref={body} className={cx("text-body break-words whitespace-pre-wrap", !whole && "max-h-80 overflow-hidden")}>
          {text}
        </div>
        {(long || whole) && (
          <button type="button" onClick={() => setWhole(!whole)} className="mt-1 text-small text-ink-2 underline underline-offset-3 hover:text-ink">
            {t(whole ? "question.less" : "question.more")}
          </button>
        )}
      </div>
      {(delivery || action) && (
        <div className="mt-1 flex min-h-7 items-center gap-1">
          {action}
          {delivery && <Delivery state={delivery} />}
        </div>
      )}
      {children}
    </div>
  )
}
