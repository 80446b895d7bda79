import { Brain } from "lucide-react"

import { useT } from "../../i18n"
import { Fold } from "../../ui/Fold"

/** What the model thought, folded; the line shows its newest words while it thinks. */
export function Thought({ text, live }: { text: string; live: boolean }) {
  const t = useT()
  const lines = text.trim().split("\n").filter((line) => line.trim() !== "")
  const summary = live ? lines.at(-1) : lines[0]
  return (
    <Fold icon={Brain} name={t(live ? "turn.thinking" : "turn.thought")} summary={summary}>
      {() => <div className="border-l-2 border-line pl-4 text-small break-words whitespace-pre-wrap text-ink-2">{text.trim()}</div>}
    </Fold>
  )
}
