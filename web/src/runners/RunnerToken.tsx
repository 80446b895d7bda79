import { useEffect, useRef } from "react"

import { useT } from "../i18n"
import { CopyButton } from "../ui/CopyButton"
import { Note } from "../ui/Note"

/** A token that was just made, with the command line that uses it. */
export interface ShownToken {
  name: string
  token: string
  command: string
}

/** Shows a token the one time that it can be seen. */
export function RunnerToken({ shown }: { shown: ShownToken }) {
  const t = useT()
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    place.current?.scrollIntoView({ block: "nearest" }) // newer browsers return a promise, which is no clean-up
  }, [shown.token])
  return (
    <div ref={place}>
      <Note tone="plain" className="mt-4">
        <p className="text-ink">{t("runners.once", { name: shown.name })}</p>
        <Copied label={t("runners.token")} text={shown.token} />
        <Copied label={t("runners.command")} text={shown.command} />
      </Note>
    </div>
  )
}

function Copied({ label, text }: { label: string; text: string }) {
  const t = useT()
  return (
    <div className="mt-2">
      <p className="text-small">{label}</p>
      <div className="flex items-center gap-2">
        <code className="min-w-0 flex-1 font-mono text-small break-all text-ink select-all">{text}</code>
        <CopyButton text={text} label={`${t("common.copy")}: ${label}`} />
      </div>
    </div>
  )
}
