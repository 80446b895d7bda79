import { useT } from "../i18n"
import { CopyButton } from "../ui/CopyButton"

/** A text that is there to be copied. */
export function CopyField({ label, text }: { label: string; text: string }) {
  const t = useT()
  return (
    <div>
      <p className="text-small text-ink-2">{label}</p>
      <div className="flex items-center gap-2">
        <code className="min-w-0 flex-1 font-mono text-small break-all text-ink select-all">{text}</code>
        <CopyButton text={text} label={`${t("common.copy")}: ${label}`} />
      </div>
    </div>
  )
}
