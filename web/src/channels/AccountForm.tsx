import { CircleCheck } from "lucide-react"
import type { SubmitEvent } from "react"

import type { ChannelAccount, ChannelKind } from "../api/channels"
import { useT } from "../i18n"
import { channelWords } from "../i18n/channels"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Field } from "../ui/Field"
import { Note } from "../ui/Note"
import { toast } from "../ui/toasts"
import { OptionField } from "./OptionField"
import { nameOf } from "./queries"
import { useDraft } from "./useDraft"

interface Props {
  kind: ChannelKind
  /** The bot that is changed; without one a new one is made. */
  account?: ChannelAccount
  onDone: () => void
}

/** What a bot on a platform is configured with, checked as one types. */
export function AccountForm({ kind, account, onDone }: Props) {
  const t = useT()
  const say = useTable(channelWords)
  const draft = useDraft(kind, account, (saved) => {
    toast(say("saved", { name: nameOf(t, saved) }))
    onDone()
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    draft.save()
  }
  const general = draft.faults.filter(({ option }) => option === "")
  return (
    <form className="space-y-4" onSubmit={submit} noValidate autoComplete="off">
      {!account && (
        <Field
          label={say("account")}
          hint={say("accountHint")}
          problem={draft.faultOf("account")?.text}
          value={draft.name}
          onChange={(event) => draft.rename(event.target.value)}
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
        />
      )}
      {kind.options.map((option) => (
        <OptionField
          key={option.name}
          platform={kind.name}
          option={option}
          value={draft.settings[option.name] ?? ""}
          fault={draft.faultOf(option.name)}
          kept={account?.secrets.includes(option.name) ?? false}
          forgotten={draft.forget.includes(option.name)}
          onValue={(value) => draft.set(option.name, value)}
          onForget={(on) => draft.setForget(option.name, on)}
        />
      ))}
      {general.map(({ text }) => (
        <Note key={text} tone="danger">{text}</Note>
      ))}
      {draft.failed && <Note tone="danger">{draft.conflict ? say("conflict") : draft.failed.message}</Note>}
      <div className="flex flex-wrap items-center gap-2">
        <p role="status" className="flex min-w-0 flex-1 items-center gap-1.5 text-small text-ink-3">
          {!draft.checked ? say("checking") : draft.faults.length === 0 && <Fine text={say("fine")} />}
        </p>
        <Button look="quiet" onClick={onDone}>
          {t("common.cancel")}
        </Button>
        <Button type="submit" look="primary" aria-disabled={draft.saving}>
          {say(draft.saving ? "saving" : "save")}
        </Button>
      </div>
    </form>
  )
}

function Fine({ text }: { text: string }) {
  return (
    <>
      <CircleCheck size={14} aria-hidden className="shrink-0 text-accent" /> {text}
    </>
  )
}
