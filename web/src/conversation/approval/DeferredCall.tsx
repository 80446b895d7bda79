import { useAccount } from "../../account/account"
import type { ToolCall } from "../../api/types"
import { useDecision } from "../../automation/hooks/useDecision"
import { hookWords } from "../../i18n/hooks"
import { useTable } from "../../i18n/table"
import { Note } from "../../ui/Note"
import { ApprovalCard } from "./ApprovalCard"

interface Props {
  call: ToolCall
  reason?: string
}

/** A call that a hook has left to an administrator. Who is one decides here; everybody else reads that it waits. */
export default function DeferredCall({ call, reason }: Props) {
  const say = useTable(hookWords)
  const { me } = useAccount()
  const { mutate, isPending, isSuccess, error } = useDecision(call.id)
  const admin = me.user.role === "admin"
  return (
    <div className="space-y-2">
      <ApprovalCard
        call={call}
        reason={reason}
        title={say(admin ? "decide" : "waits", { tool: call.name })}
        answers={admin}
        answering={isPending || isSuccess}
        onAnswer={({ decision = "deny", note }) => mutate({ decision, note })}
      />
      {error && <Note tone="danger" className="text-small">{error.message}</Note>}
    </div>
  )
}
