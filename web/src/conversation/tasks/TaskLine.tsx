import { Layers2 } from "lucide-react"

import { useT } from "../../i18n"
import { useConversationContext } from "../shared/context"
import { stateOfTask } from "./words"

/** Under the call that became a background task: that it did, and the way to it. */
export function TaskLine({ id }: { id: string }) {
  const t = useT()
  const { tasks, showTask } = useConversationContext()
  const task = tasks.find((candidate) => candidate.id === id)
  return (
    <p className="flex gap-2 pb-1 pl-6.5 text-small text-ink-3">
      <Layers2 size={15} aria-hidden className="mt-0.5 shrink-0" />
      <span className="min-w-0">
        {t("task.became")}{" "}
        <button type="button" onClick={() => showTask(id)} className="rounded-sm text-ink-2 underline underline-offset-3 hover:text-ink">
          {t("task.name", { id })}
        </button>
        {task && ` · ${stateOfTask(t, task)}`}
      </span>
    </p>
  )
}
