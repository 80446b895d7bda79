import { memo, useEffect, useState } from "react"

import { useT } from "../i18n"
import { cx } from "../lib/cx"
import { CopyButton } from "../ui/CopyButton"
import type { Run } from "./highlight"

interface Props {
  code: string
  language: string
  /** The code is still being written, so colouring it has to wait. */
  live: boolean
}

/** A block of code with its language and a button that copies it. */
export const CodeBlock = memo(function CodeBlock({ code, language, live }: Props) {
  const t = useT()
  return (
    <div className="code-block relative overflow-hidden rounded-md bg-sunken">
      {language !== "" && <div className="px-4 pt-2 pb-1 text-small text-ink-3">{language}</div>}
      <div className="absolute top-1 right-1 rounded-md bg-sunken">
        <CopyButton text={code} label={t("code.copy")} />
      </div>
      <pre
        tabIndex={0}
        role="group"
        aria-label={t("code.region")}
        className={cx("overflow-x-auto px-4 pb-3.5 font-mono text-small -outline-offset-2", language === "" && "pt-3")}
      >
        {live || language === "" ? <code>{code}</code> : <Coloured code={code} language={language} />}
      </pre>
    </div>
  )
})

function Coloured({ code, language }: { code: string; language: string }) {
  const [lines, setLines] = useState<Run[][]>()
  useEffect(() => {
    let gone = false
    import("./highlight")
      .then(({ highlight }) => highlight(code, language))
      .then((done) => {
        if (!gone) setLines(done)
      })
      .catch((error: unknown) => console.error("code was not highlighted", error))
    return () => {
      gone = true
    }
  }, [code, language])
  if (!lines) return <code>{code}</code>
  return (
    <code>
      {lines.map((line, n) => (
        <span key={n}>
          {line.map((run, at) => (
            <span key={at} style={{ color: run.color, fontStyle: run.italic ? "italic" : undefined }}>
              {run.text}
            </span>
          ))}
          {n < lines.length - 1 && "\n"}
        </span>
      ))}
    </code>
  )
}
