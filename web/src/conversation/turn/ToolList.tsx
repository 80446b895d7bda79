import { Layers } from "lucide-react"

import { useT } from "../../i18n"
import { Fold } from "../../ui/Fold"
import { isAsking } from "../feed/merge"
import { isSkipped, type StoryCall } from "../feed/story"
import { ToolStep } from "./ToolStep"

/** Longer lists show their newest calls and those that wait for a person; the others open with one press. */
const SHOWN = 6
const SHOWN_OF_LONG = 3

/** The tool calls between two texts. */
export function ToolList({ calls, ended }: { calls: StoryCall[]; ended: boolean }) {
  const older = calls.length > SHOWN ? calls.slice(0, -SHOWN_OF_LONG) : []
  const hidden = older.filter((call) => !isAsking(call))
  const shown = calls.filter((call) => !hidden.includes(call))
  return (
    <div>
      {hidden.length > 0 && <Earlier calls={hidden} ended={ended} />}
      {shown.map((call) => (
        <ToolStep key={call.id} call={call} ended={ended} />
      ))}
    </div>
  )
}

function Earlier({ calls, ended }: { calls: StoryCall[]; ended: boolean }) {
  const t = useT()
  const failed = calls.filter((call) => call.is_error && !isSkipped(call)).length
  return (
    <Fold
      icon={Layers}
      name={t("tools.many", { count: calls.length })}
      trailing={failed > 0 && <span className="text-danger">{t("tools.manyFailed", { count: failed })}</span>}
    >
      {() => calls.map((call) => <ToolStep key={call.id} call={call} ended={ended} />)}
    </Fold>
  )
}
