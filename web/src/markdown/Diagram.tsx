import { Code, Workflow } from "lucide-react"
import { useEffect, useState } from "react"

import { useT } from "../i18n"
import { CopyButton } from "../ui/CopyButton"
import { IconButton } from "../ui/IconButton"
import { Note } from "../ui/Note"
import { useTheme } from "../ui/theme"
import { useMedia } from "../ui/useMedia"
import { CodeBlock } from "./CodeBlock"
import type { Drawing } from "./diagram"

/** A Mermaid diagram. Its source is shown until it is drawn, when it cannot be, and to whoever asks for it. */
export default function Diagram({ source }: { source: string }) {
  const t = useT()
  const [asCode, setAsCode] = useState(false)
  const { drawing, problem } = useDrawing(source)
  if (!drawing) {
    return (
      <>
        <CodeBlock code={source} language="mermaid" live={false} />
        {problem !== undefined && <Note tone="plain">{t("diagram.wrong", { problem })}</Note>}
      </>
    )
  }
  const { address, width, height, title } = drawing
  return (
    <figure className="code-block group relative">
      {asCode ? (
        <CodeBlock code={source} language="mermaid" live={false} />
      ) : (
        <div tabIndex={0} role="group" aria-label={t("diagram.region")} className="overflow-x-auto rounded-md border border-line p-4 pt-10">
          <img src={address} width={width} height={height} alt={title ?? t("diagram.alt")} className="mx-auto h-auto max-w-none sm:max-w-full" />
        </div>
      )}
      <div className="absolute top-1 right-1 flex rounded-md bg-canvas">
        <IconButton small label={t(asCode ? "diagram.show" : "diagram.source")} onClick={() => setAsCode(!asCode)}>
          {asCode ? <Workflow size={15} aria-hidden /> : <Code size={15} aria-hidden />}
        </IconButton>
        <CopyButton text={source} label={t("code.copy")} />
      </div>
    </figure>
  )
}

interface Drawn {
  drawing?: Drawing
  problem?: string
}

/** The diagram in the colours of the page; the old drawing stays until the new one is there. */
function useDrawing(source: string): Drawn {
  const theme = useTheme()
  const dark = useMedia("(prefers-color-scheme: dark)") ? theme !== "light" : theme === "dark"
  const [drawn, setDrawn] = useState<Drawn>({})
  useEffect(() => {
    let gone = false
    import("./diagram")
      .then(({ drawDiagram }) => drawDiagram(source, dark))
      .then(
        (drawing) => !gone && setDrawn({ drawing }),
        (error: unknown) => !gone && setDrawn({ problem: firstLine(error) }),
      )
    return () => {
      gone = true
    }
  }, [source, dark])
  return drawn
}

/** What is wrong, in one line: the others of a parser point at characters. */
function firstLine(error: unknown): string {
  const all = error instanceof Error ? error.message : String(error)
  return all.replace(/:?\n[^]*$/, "")
}
