import { Code, Workflow } from "lucide-react"
import { useEffect, useState } from "react"

import { useT } from "../i18n"
import { diagramWords } from "../i18n/diagram"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { CopyButton } from "../ui/CopyButton"
import { IconButton } from "../ui/IconButton"
import { Note } from "../ui/Note"
import { useColorScheme } from "../ui/useColorScheme"
import { CodeBlock } from "./CodeBlock"
import type { Outcome } from "./diagram/draw"
import type { Drawing } from "./diagram/messages"

/** A Mermaid diagram. Its source is shown until it is drawn, when it cannot be, and on request. */
export default function Diagram({ source }: { source: string }) {
  const [outcome, drawAnyway] = useDrawing(source)
  if (typeof outcome === "object" && "drawing" in outcome) return <Picture source={source} drawing={outcome.drawing} />
  return (
    <>
      <CodeBlock code={source} language="mermaid" live={false} />
      {outcome && <Undrawn outcome={outcome} onAnyway={drawAnyway} />}
    </>
  )
}

/** Why a diagram is not drawn. */
function Undrawn({ outcome, onAnyway }: { outcome: Exclude<Outcome, { drawing: Drawing }>; onAnyway: () => void }) {
  const say = useTable(diagramWords)
  if (outcome === "large") return <Note tone="plain">{say("large")}</Note>
  if (outcome !== "slow") return <Note tone="plain">{say("wrong", { problem: outcome.problem })}</Note>
  return (
    <Note tone="plain" className="flex flex-wrap items-center justify-between gap-2">
      {say("slow")}
      <Button onClick={onAnyway}>{say("anyway")}</Button>
    </Note>
  )
}

function Picture({ source, drawing }: { source: string; drawing: Drawing }) {
  const t = useT()
  const say = useTable(diagramWords)
  const [asCode, setAsCode] = useState(false)
  const { address, width, height, title } = drawing
  return (
    <figure className="code-block group relative">
      {asCode ? (
        <CodeBlock code={source} language="mermaid" live={false} />
      ) : (
        <div tabIndex={0} role="group" aria-label={say("region")} className="overflow-x-auto rounded-md border border-line p-4 pt-10">
          <img src={address} width={width} height={height} alt={title ?? say("alt")} className="mx-auto h-auto max-w-none sm:max-w-full" />
        </div>
      )}
      <div className="absolute top-1 right-1 flex rounded-md bg-canvas">
        <IconButton small label={say(asCode ? "show" : "source")} onClick={() => setAsCode(!asCode)}>
          {asCode ? <Workflow size={15} aria-hidden /> : <Code size={15} aria-hidden />}
        </IconButton>
        <CopyButton text={source} label={t("code.copy")} />
      </div>
    </figure>
  )
}

/** The diagram in the colours of the page; the old drawing stays until the new one is there. The function draws one that was slow. */
function useDrawing(source: string): [outcome: Outcome | undefined, drawAnyway: () => void] {
  const dark = useColorScheme() === "dark"
  const [tries, setTries] = useState(0)
  const [outcome, setOutcome] = useState<Outcome>()
  useEffect(() => {
    let gone = false
    import("./diagram/draw")
      .then(({ drawDiagram }) => drawDiagram(source, dark, tries > 0))
      .then(
        (drawn) => !gone && setOutcome(drawn),
        (error: unknown) => !gone && setOutcome({ problem: error instanceof Error ? error.message : String(error) }),
      )
    return () => {
      gone = true
    }
  }, [source, dark, tries])
  const drawAnyway = () => {
    setOutcome(undefined)
    setTries(tries + 1)
  }
  return [outcome, drawAnyway]
}
