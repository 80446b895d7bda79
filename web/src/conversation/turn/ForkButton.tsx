import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { GitFork } from "lucide-react"

import { fork } from "../../api/context"
import { refreshSessions } from "../../api/queries"
import type { Message } from "../../api/types"
import { useT } from "../../i18n"
import { IconButton } from "../../ui/IconButton"
import { toast } from "../../ui/toasts"
import { useConversationContext } from "../shared/context"

/** Copies the conversation up to the end of a turn into a new one and opens it. */
export function ForkButton({ message }: { message: Message }) {
  const t = useT()
  const navigate = useNavigate()
  const { sessionKey } = useConversationContext()
  const { mutate, isPending } = useMutation({
    mutationFn: () => fork(sessionKey, message.id),
    onSuccess: ({ key }) => {
      refreshSessions()
      void navigate({ to: "/c/$key", params: { key } })
    },
    onError: (error) => toast(t("fork.failed", { reason: error.message })),
  })
  return (
    <IconButton small label={t("fork.action")} disabled={isPending} onClick={() => mutate()}>
      <GitFork size={15} aria-hidden />
    </IconButton>
  )
}
