import { useLanguage } from "../i18n"
import { fullMoment, moment } from "../i18n/format"

interface Version {
  label: string
  note?: string
  changed_at: string
  changed_by: string
}

/** The line of a version: what it is called, who made it and when, further facts, and what is said of the one in force. */
export function VersionHead({ version: { label, note, changed_at, changed_by }, facts, mark }: { version: Version; facts: string[]; mark?: string | undefined }) {
  const language = useLanguage()
  const all = [changed_by, moment(language, changed_at), ...facts]
  return (
    <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3">
      <span className="font-medium">{label}</span>
      {note && <span className="min-w-0 break-words text-ink-2">{note}</span>}
      <span className="min-w-0 flex-1 break-words text-ink-3" title={fullMoment(language, changed_at)}>{all.filter((fact) => fact).join(" · ")}</span>
      {mark && <span className="rounded-full bg-accent-soft px-2 text-accent">{mark}</span>}
    </span>
  )
}
