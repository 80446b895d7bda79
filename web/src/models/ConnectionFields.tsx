import { modelsWords } from "../i18n/models"
import { useTable } from "../i18n/table"
import { CheckField } from "../ui/CheckField"
import { Field, PasswordField } from "../ui/Field"
import { Select } from "../ui/Select"
import type { Draft } from "./draft"
import { hasOwnAddress, type Service } from "./services"

interface Props {
  draft: Draft
  service: Service
  shared: boolean
  /** The end of the stored key; empty: there is none. */
  stored: string
  onChange: (change: Partial<Draft>) => void
}

/** What a subscription is called, where it is, and its key. */
export function ConnectionFields({ draft, service, shared, stored, onChange }: Props) {
  const say = useTable(modelsWords)
  const known = hasOwnAddress(service)
  const address = <AddressField draft={draft} hint={say(known ? "addressOwn" : shared ? "addressHint" : "addressPublic")} onChange={onChange} />
  return (
    <>
      <div className="grid gap-4 md:grid-cols-2">
        <Field
          label={say("name")}
          hint={say("nameHint", { name: draft.name.trim() || service.name })}
          value={draft.name}
          onChange={(event) => onChange({ name: event.target.value })}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          maxLength={32}
          required
        />
        <KeyField draft={draft} stored={stored} local={service.local ?? false} onChange={onChange} />
      </div>
      {!known && address}
      <details>
        <summary className="cursor-pointer text-ink-2">{say("advanced")}</summary>
        <div className="mt-3 space-y-4">
          {known && address}
          <div className="flex flex-wrap gap-4">
            <Select label={say("provider")} value={draft.provider} options={["openai", "anthropic"]} say={(provider) => say(`provider_${provider}`)} onChange={(provider) => onChange({ provider })} />
            {draft.provider === "openai" && (
              <Select label={say("api")} value={draft.api_type} options={["chat_completions", "responses"]} say={(api) => say(`api_${api}`)} onChange={(api_type) => onChange({ api_type })} />
            )}
          </div>
          <CheckField label={say("enabled")} checked={!draft.disabled} onChange={(on) => onChange({ disabled: !on })} />
        </div>
      </details>
    </>
  )
}

function AddressField({ draft, hint, onChange }: Pick<Props, "draft" | "onChange"> & { hint: string }) {
  const say = useTable(modelsWords)
  return (
    <Field
      label={say("address")}
      hint={hint}
      value={draft.base_url}
      onChange={(event) => onChange({ base_url: event.target.value })}
      type="url"
      autoCapitalize="none"
      autoComplete="off"
      spellCheck={false}
      maxLength={512}
    />
  )
}

/** A key is typed in and never comes back; of a stored one the end is shown. */
function KeyField({ draft, stored, local, onChange }: Pick<Props, "draft" | "stored" | "onChange"> & { local: boolean }) {
  const say = useTable(modelsWords)
  const kept = stored !== "" && !draft.forget
  return (
    <div>
      <PasswordField
        label={say("key")}
        hint={local ? say("keyNone") : say(kept ? "keyKept" : "keyHint")}
        placeholder={kept ? stored : undefined}
        value={draft.forget ? "" : draft.key}
        onChange={(event) => onChange({ key: event.target.value })}
        disabled={draft.forget}
        autoComplete="new-password"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={4096}
      />
      {stored !== "" && (
        <div className="mt-1.5">
          <CheckField label={say("forget")} checked={draft.forget} onChange={(forget) => onChange({ forget })} />
        </div>
      )}
    </div>
  )
}
