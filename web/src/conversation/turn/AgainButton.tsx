import { useMutation } from "@tanstack/react-query"
import { RefreshCw } from "lucide-react"

import { askAgain } from "../../api/branches"
import type { Message } from "../../api/types"
import { useT } from "../../i18n"
import { messageId } from "../../lib/ids"
import { IconButton } from "../../ui/IconButton"
import { toast } from "../../ui/toasts"
import { useConversationContext } from "../shared/context"

/** Asks what a turn was asked again. The answer that is there is kept as another version. */
export function AgainButton({ message }: { message: Message }) {
  const t = useT()
  const { sessionKey } = useConversationContext()
  const { mutate, isPending } = useMutation({
    mutationFn: () => askAgain(sessionKey, messageId(), message.id),
    onError: (error) => toast(t("branch.againFailed", { reason: error.message })),
  })
  return (
    <IconButton small label={t("branch.again")} disabled={isPending} onClick={() => mutate()}>
      <RefreshCw size={15} aria-hidden />
    </IconButton>
  )
}
