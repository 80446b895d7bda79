import { useMutation } from "@tanstack/react-query"

import { refreshSessions } from "../../api/queries"
import { changeSession, type SessionChange } from "../../api/routing"
import type { Session } from "../../api/types"
import { useT } from "../../i18n"
import { toast } from "../../ui/toasts"
import { type Chosen, chosenOf } from "./choice"

/** What is chosen for an open conversation, with a change shown at once. */
export function useChoices(key: string, session: Session | undefined) {
  const t = useT()
  const { mutate, variables, isPending } = useMutation({
    mutationFn: (change: Partial<Chosen>) => changeSession(key, changeOf(change, session?.queue)),
    onSuccess: refreshSessions,
    onError: (error) => toast(t("session.changeFailed", { reason: error.message })),
  })
  const chosen = { ...chosenOf(session), ...(isPending ? variables : {}) }
  return { chosen, choose: (change: Partial<Chosen>) => mutate(change) }
}

/** A choice as a change of a session; what else was set of its queue stays. A mode that is missing follows the policy. */
export function changeOf({ queue: mode, ...rest }: Partial<Chosen>, before: Session["queue"] = {}): SessionChange {
  if (mode === undefined) return rest
  return { ...rest, queue: { ...before, mode: mode === "" ? undefined : mode } }
}
