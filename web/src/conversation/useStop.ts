import { useMutation } from "@tanstack/react-query"
import { useEffect } from "react"

import { stopTurn } from "../api/calls"
import { useT } from "../i18n"
import { toast } from "../ui/toasts"

/** Stopping what runs in a conversation. `stopping` lasts until the turn has really ended. */
export function useStop(key: string, running: string | undefined) {
  const t = useT()
  const { mutate, isPending, isSuccess, reset } = useMutation({
    mutationFn: () => stopTurn(key),
    onError: (error) => toast(t("composer.stopFailed", { reason: error.message })),
  })
  useEffect(reset, [running, reset])
  const stop = () => {
    if (running) mutate()
    else toast(t("composer.nothingRuns"))
  }
  return { stop, stopping: running !== undefined && (isPending || isSuccess) }
}
