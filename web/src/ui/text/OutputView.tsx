import { useLayoutEffect, useRef } from "react"

import { useT } from "../../i18n"
import { cx } from "../../lib/cx"
import { CopyButton } from "../CopyButton"

/** Pixels from the end within which a reader counts as following the output. */
const NEAR = 24

interface Props {
  text: string
  label: string
  empty: string
  /** The text grows: stay at its end unless the reader scrolled away. */
  follow: boolean
  failed: boolean
}

/** What a tool printed or answered. */
export function OutputView({ text, label, empty, follow, failed }: Props) {
  const t = useT()
  const box = useRef<HTMLPreElement>(null)
  const atEnd = useRef(true)
  useLayoutEffect(() => {
    const element = box.current
    if (follow && element && atEnd.current) element.scrollTop = element.scrollHeight
  }, [text, follow])
  if (text === "") return <p className="text-small text-ink-3">{empty}</p>
  return (
    <div className="relative">
      <pre
        ref={box}
        tabIndex={0}
        role="region"
        aria-label={label}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget
          atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR
        }}
        className={cx(
          "max-h-80 overflow-auto rounded-md bg-sunken px-3.5 py-2.5 font-mono text-[0.75rem] leading-5 -outline-offset-2",
          failed && "border-l-2 border-danger",
        )}
      >
        {text}
      </pre>
      {!follow && (
        <div className="absolute top-1 right-1 rounded-md bg-sunken">
          <CopyButton text={text} label={t("tools.copyOutput")} />
        </div>
      )}
    </div>
  )
}
