import { useMutation } from "@tanstack/react-query"
import { useId } from "react"

import { setContextMode } from "../../api/context"
import { queryClient } from "../../api/query-client"
import type { ContextMode } from "../../api/types"
import { useT } from "../../i18n"
import { Note } from "../../ui/Note"
import { usePressed } from "../../ui/usePressed"
import { useConversationContext } from "../shared/context"
import { contextKey } from "./queries"

const modes: ContextMode[] = ["default", "none"]

/** Whether the layers work by themselves in this conversation. */
export function ModeChoice({ mode }: { mode: ContextMode }) {
  const t = useT()
  const name = useId()
  const { sessionKey } = useConversationContext()
  const { mutate, error, isPending, variables } = useMutation({
    scope: { id: `mode of ${sessionKey}` }, // one after the other
    mutationFn: (wanted: ContextMode) => setContextMode(sessionKey, wanted),
    onSuccess: (view) => queryClient.setQueryData(contextKey(sessionKey, "panel"), view),
  })
  const [marked, press] = usePressed(isPending ? variables : mode, mutate)
  return (
    <fieldset className="text-small">
      <legend className="mb-2 text-ink-3">{t("context.mode")}</legend>
      {modes.map((value) => (
        <label key={value} className="flex cursor-pointer gap-2.5 rounded-md py-1">
          <input type="radio" name={name} checked={marked === value} onChange={() => press(value)} className="mt-1 size-3.5 shrink-0 accent-accent" />
          <span>
            {t(`context.mode_${value}`)}
            <span className="block text-ink-3">{t(`context.mode_${value}_text`)}</span>
          </span>
        </label>
      ))}
      {error && <Note tone="danger">{error.message}</Note>}
    </fieldset>
  )
}
