import { Layers2 } from "lucide-react"

import { useT } from "../../i18n"
import { Fold } from "../../ui/Fold"
import { OutputView } from "../../ui/text/OutputView"
import { useConversationContext } from "../shared/context"
import { stateOfTask, timeOfTask } from "./words"

/** The end of a background task, which the model was told: one quiet line that opens to what it read. */
export function TaskEnd({ content }: { content: string }) {
  const t = useT()
  const { tasks } = useConversationContext()
  const [first = "", ...rest] = content.split("\n")
  const id = /\bbg\d+\b/.exec(first)?.[0]
  const task = tasks.find((candidate) => candidate.id === id)
  const summary = task?.ended_at ? `${stateOfTask(t, task)} · ${timeOfTask(t, task, 0)}` : first.replace(/^\[|\]$/g, "")
  return (
    <Fold icon={Layers2} name={id ? t("task.ended", { id }) : t("task.endedUnnamed")} summary={summary}>
      {() => <OutputView text={rest.join("\n").trim()} label={t("tools.output")} empty={t("tools.noOutput")} follow={false} failed={false} />}
    </Fold>
  )
}
