import { KeyRound } from "lucide-react"
import { useId } from "react"

import type { Inquiry } from "../../api/types"
import { useT } from "../../i18n"
import { connectionsWords } from "../../i18n/connections"
import { useTable } from "../../i18n/table"
import { useConnect } from "../../integrations/connections/useConnect"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import type { Answer } from "./ApprovalCard"

interface Props {
  call: string
  question: Inquiry
  /** An answer is on its way or was accepted. */
  answering: boolean
  onAnswer: (answer: Answer) => void
}

/** The question for an account: it is connected in another tab, and the call goes on once it is. */
export default function AccountRequest({ call, question: { text, connect }, answering, onAnswer }: Props) {
  const t = useT()
  const say = useTable(connectionsWords)
  const id = useId()
  const connecting = useConnect(connect?.provider ?? "", call)
  const name = connect?.name ?? ""
  const scopes = connect?.scopes ?? []
  return (
    <div role="group" data-approval="" tabIndex={-1} aria-labelledby={id} className="space-y-3 rounded-lg border border-warn bg-overlay p-4 shadow-field">
      <p id={id} className="flex items-center gap-2.5 font-medium">
        <KeyRound size={17} aria-hidden className="shrink-0 text-warn" />
        {say("connectLabel", { name })}
      </p>
      <p className="break-words whitespace-pre-wrap">{text}</p>
      {scopes.length > 0 && <p className="text-small break-words text-ink-2">{say("scopes", { scopes: scopes.join(" ") })}</p>}
      <p className="text-small text-ink-3">{say("opens")}</p>
      {connecting.error && <Note tone="danger" className="text-small">{connecting.error.message}</Note>}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" disabled={connecting.isPending} onClick={() => connecting.mutate(window.open("about:blank", "_blank"))}>
          {say("connectLabel", { name })}
        </Button>
        <Button look="quiet" aria-disabled={answering} onClick={() => !answering && onAnswer({ decision: "deny" })}>
          {t("inquiry.decline")}
        </Button>
      </div>
    </div>
  )
}
