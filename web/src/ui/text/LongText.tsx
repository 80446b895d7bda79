import { useLayoutEffect, useMemo, useRef, useState } from "react"

import { useT } from "../../i18n"
import { CopyButton } from "../CopyButton"
import { rowsOf } from "./long-text"
import { OutputView } from "./OutputView"

/** Texts up to this many characters are drawn whole. */
const SMALL = 20_000

/** Height of a row in pixels (leading-5), and rows drawn before and after what is in view. */
const ROW = 20
const MARGIN = 20

interface Props {
  text: string
  label: string
  empty: string
  /** Long lines of a small text are broken rather than scrolled to. */
  wrap?: boolean
}

/** A text of any length: of a long one only the rows in view are drawn. */
export function LongText({ text, label, empty, wrap }: Props) {
  if (text.length > SMALL) return <Rows text={text} label={label} />
  if (!wrap) return <OutputView text={text} label={label} empty={empty} follow={false} failed={false} />
  return (
    <pre
      tabIndex={0}
      role="region"
      aria-label={label}
      className="max-h-96 overflow-auto rounded-md bg-sunken px-3.5 py-2.5 font-mono text-[0.75rem] leading-5 break-words whitespace-pre-wrap -outline-offset-2"
    >
      {text || empty}
    </pre>
  )
}

function Rows({ text, label }: { text: string; label: string }) {
  const t = useT()
  const { rows, cut } = useMemo(() => rowsOf(text), [text])
  const widest = useMemo(() => rows.reduce((most, row) => Math.max(most, row.length), 0), [rows])
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 400 })
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight })
    look()
    element.addEventListener("scroll", look, { passive: true })
    return () => element.removeEventListener("scroll", look)
  }, [])
  const from = Math.max(0, Math.floor(view.top / ROW) - MARGIN)
  const upto = Math.min(rows.length, Math.ceil((view.top + view.height) / ROW) + MARGIN)
  return (
    <div className="relative">
      <div
        ref={box}
        tabIndex={0}
        role="region"
        aria-label={label}
        className="h-96 overflow-auto rounded-md bg-sunken px-3.5 py-2.5 font-mono text-[0.75rem] leading-5 -outline-offset-2"
      >
        <div className="relative" style={{ height: rows.length * ROW, minWidth: `${widest}ch` }}>
          <pre className="absolute left-0 font-mono" style={{ top: from * ROW }}>
            {rows.slice(from, upto).join("\n")}
          </pre>
        </div>
      </div>
      {cut && <p className="mt-2 text-small text-ink-3">{t("offload.cut")}</p>}
      <div className="absolute top-1 right-4 rounded-md bg-sunken">
        <CopyButton text={text} label={t("tools.copyOutput")} />
      </div>
    </div>
  )
}
