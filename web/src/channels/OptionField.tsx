import { useId } from "react"

import type { ChannelFault, ChannelOption } from "../api/channels"
import { useLanguage } from "../i18n"
import { channelWords, type ChannelWord, optionWords } from "../i18n/channels"
import { type Say, useTable } from "../i18n/table"
import { cx } from "../lib/cx"
import { Field, PasswordField } from "../ui/Field"

interface Props {
  platform: string
  option: ChannelOption
  value: string
  fault?: ChannelFault
  /** A secret that is stored, and stays where this is left empty. */
  kept: boolean
  forgotten: boolean
  onValue: (value: string) => void
  onForget: (on: boolean) => void
}

/** One setting of a bot: a text, a choice, or a secret, which is never shown. */
export function OptionField({ platform, option, value, fault, kept, forgotten, onValue, onForget }: Props) {
  const say = useTable(channelWords)
  const language = useLanguage()
  const { label, help } = (language === "en" ? undefined : optionWords[language][`${platform}.${option.name}`]) ?? option
  const hint = [kept && !forgotten ? say("secretSet") : "", help].filter(Boolean).join(" ") || undefined
  const problem = fault && problemOf(say, option, fault)
  if (option.choices.length > 0) return <Choices label={label} hint={hint} problem={problem} option={option} value={value} onValue={onValue} />
  const shared = { label, hint, problem, value, maxLength: 2048, autoCapitalize: "none", spellCheck: false, autoComplete: "off" }
  if (!option.secret) return <Field {...shared} placeholder={option.default} onChange={(event) => onValue(event.target.value)} />
  return (
    <div>
      <PasswordField {...shared} autoComplete="new-password" disabled={forgotten} onChange={(event) => onValue(event.target.value)} />
      {kept && !option.required && (
        <label className="mt-1.5 flex items-center gap-2 text-small text-ink-2">
          <input type="checkbox" checked={forgotten} onChange={(event) => onForget(event.target.checked)} className="size-4 accent-(--accent)" />
          {say("forget")}
        </label>
      )}
    </div>
  )
}

function problemOf(say: Say<ChannelWord>, option: ChannelOption, { kind, text }: ChannelFault): string {
  if (kind === "missing") return say("required")
  return kind === "choice" ? say("choose", { choices: option.choices.join(", ") }) : text
}

interface ChoicesProps {
  label: string
  hint?: string
  problem?: string
  option: ChannelOption
  value: string
  onValue: (value: string) => void
}

function Choices({ label, hint, problem, option, value, onValue }: ChoicesProps) {
  const id = useId()
  const note = problem ?? hint
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block font-medium">
        {label}
      </label>
      <select
        id={id}
        value={value || option.default}
        onChange={(event) => onValue(event.target.value)}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={note ? `${id}-note` : undefined}
        className={cx("h-10 w-full rounded-md border bg-canvas px-3 text-body", problem ? "border-danger" : "border-line-strong")}
      >
        {option.choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
      {note && (
        <p id={`${id}-note`} className={cx("mt-1.5 text-small", problem ? "text-danger" : "text-ink-3")}>
          {note}
        </p>
      )}
    </div>
  )
}
