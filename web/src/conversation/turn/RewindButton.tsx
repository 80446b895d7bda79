import { useMutation } from "@tanstack/react-query"
import { Undo2 } from "lucide-react"
import { lazy, Suspense, useState } from "react"

import { rewind } from "../../api/context"
import type { Message } from "../../api/types"
import { useT } from "../../i18n"
import { randomId } from "../../lib/ids"
import { returnToDraft } from "../../outbox/drafts"
import { IconButton } from "../../ui/IconButton"
import { toast } from "../../ui/toasts"
import { useConversationContext } from "../shared/context"

const Confirm = lazy(() => import("../../ui/Confirm"))

/** Takes a message and everything after it out of the conversation, after asking; its words return to the message box. */
export function RewindButton({ message }: { message: Message }) {
  const t = useT()
  const { sessionKey } = useConversationContext()
  const [asking, setAsking] = useState(false)
  const { mutate, isPending } = useMutation({
    mutationFn: () => rewind(sessionKey, randomId(), message.id),
    onSuccess: () => returnToDraft(sessionKey, message.content),
    onError: (error) => toast(t("rewind.failed", { reason: error.message })),
  })
  return (
    <>
      <IconButton
        small
        label={t("rewind.action")}
        disabled={isPending}
        onClick={() => setAsking(true)}
        className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100"
      >
        <Undo2 size={15} aria-hidden />
      </IconButton>
      <Suspense>
        {asking && (
          <Confirm title={t("rewind.title")} text={t("rewind.text")} action={t("rewind.confirm")} onClose={() => setAsking(false)} onConfirm={() => mutate()} />
        )}
      </Suspense>
    </>
  )
}
