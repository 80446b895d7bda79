import { type SubmitEvent, useState } from "react"

import type { ToolCall } from "../../api/types"
import { useT } from "../../i18n"
import { Button } from "../../ui/Button"
import { UnifiedDiff } from "../../ui/text/UnifiedDiff"
import { diffArguments } from "./argument-diff"
import { argumentsOf, draftOf } from "./call-draft"

interface Props {
  call: ToolCall
  answering: boolean
  onRun: (changed: Record<string, unknown>) => void
  onCancel: () => void
}

/** The arguments of a call to be changed, with the difference to what the model wrote. */
export default function CallEditor({ call, answering, onRun, onCancel }: Props) {
  const t = useT()
  const [draft, setDraft] = useState(() => draftOf(call.arguments))
  const made = argumentsOf(call.arguments, draft)
  const wrong = "wrong" in made ? t("approval.noJson", { name: made.wrong || t("tools.arguments") }) : undefined
  const diff = "arguments" in made ? diffArguments(call.arguments, JSON.stringify(made.arguments)) : undefined
  const changed = diff?.split("\n").slice(2).some((line) => /^[-+]/.test(line)) === true
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if ("arguments" in made && changed && !answering) onRun(made.arguments)
  }
  const write = (n: number, text: string) => setDraft({ ...draft, texts: draft.texts.map((known, m) => (m === n ? text : known)) })
  return (
    <form
      aria-label={t("approval.editing")}
      className="mt-3 space-y-3"
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === "Escape") onCancel()
        else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit()
        else return
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      {draft.texts.map((text, n) => (
        <label key={draft.names?.[n] ?? ""} className="block text-small text-ink-3">
          {draft.names?.[n] ?? t("tools.arguments")}
          <textarea
            autoFocus={n === 0}
            spellCheck={false}
            value={text}
            rows={Math.min(Math.max(text.split("\n").length, 1), 12)}
            onChange={(event) => write(n, event.target.value)}
            className="mt-1 block w-full rounded-md border border-line-strong bg-canvas px-3 py-2 font-mono text-small text-ink"
          />
        </label>
      ))}
      {wrong && (
        <p role="alert" className="text-small text-danger">
          {wrong}
        </p>
      )}
      {changed && diff && <UnifiedDiff diff={diff} label={t("approval.difference")} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" aria-disabled={!changed || answering}>
          {t("approval.runChanged")}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          {t("common.cancel")}
        </Button>
      </div>
    </form>
  )
}
