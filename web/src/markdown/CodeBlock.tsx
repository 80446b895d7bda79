import { memo, useEffect, useState } from "react"

import { cx } from "../lib/cx"
import { useMarkdownHost } from "./host"
import type { Run } from "./highlight-messages"

interface Props {
  code: string
  language: string
  /** The code is still being written, so colouring it has to wait. */
  live: boolean
}

/** A block of code with its language and a button that copies it. */
export const CodeBlock = memo(function CodeBlock({ code, language, live }: Props) {
  const { word, CopyButton } = useMarkdownHost()
  const lines = useColours(code, live ? "" : language)
  return (
    <div className="code-block relative overflow-hidden rounded-md bg-sunken">
      {language !== "" && <div className="px-4 pt-2 pb-1 text-small text-ink-3">{language}</div>}
      <div className="absolute top-1 right-1 rounded-md bg-sunken">
        <CopyButton text={code} />
      </div>
      <pre tabIndex={0} role="group" aria-label={word("codeBlock")} className={cx("overflow-x-auto px-4 pb-3.5 font-mono text-small -outline-offset-2", language === "" && "pt-3")}>
        <code>
          {lines
            ? lines.map((line, n) => (
                <span key={n}>
                  {line.map((run, at) => (
                    <span key={at} style={{ color: run.color, fontStyle: run.italic ? "italic" : undefined }}>
                      {run.text}
                    </span>
                  ))}
                  {n < lines.length - 1 && "\n"}
                </span>
              ))
            : code}
        </code>
      </pre>
    </div>
  )
})

/** The coloured runs of each line, once what finds them is loaded. */
function useColours(code: string, language: string): Run[][] | undefined {
  const [coloured, setColoured] = useState<{ code: string; lines: Run[][] | undefined }>()
  useEffect(() => {
    if (language === "") return
    let gone = false
    import("./highlight")
      .then(({ highlight }) => highlight(code, language))
      .then((lines) => {
        if (!gone) setColoured({ code, lines })
      })
      .catch((error: unknown) => console.error("code was not highlighted", error))
    return () => {
      gone = true
    }
  }, [code, language])
  return coloured?.code === code ? coloured.lines : undefined
}
