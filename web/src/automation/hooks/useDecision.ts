import { useMutation, useQueryClient } from "@tanstack/react-query"

import { decideDeferred } from "../../api/hooks"

export interface Decision {
  decision: "allow" | "deny"
  note?: string
}

/** Decides about a call that a hook has deferred. Whatever came of it, the list of those that wait is read again. */
export function useDecision(call: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ decision, note }: Decision) => decideDeferred(call, decision, note || undefined),
    onSettled: () => client.invalidateQueries({ queryKey: ["hooks"] }),
  })
}
