import { useT } from "../i18n"
import { CopyButton } from "./CopyButton"
import { Note } from "./Note"

/** A link for somebody else, to be copied. The server says where on it the link leads. */
export function LinkNote({ text, link }: { text: string; link: string }) {
  const t = useT()
  const address = location.origin + link
  return (
    <Note tone="plain" className="mt-3 w-full">
      <p>{text}</p>
      <div className="mt-1 flex items-center gap-2">
        <code className="min-w-0 flex-1 font-mono text-small break-all text-ink select-all">{address}</code>
        <CopyButton text={address} label={t("common.copy")} />
      </div>
    </Note>
  )
}
