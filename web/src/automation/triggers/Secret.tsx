import { useEffect, useRef } from "react"

import type { MadeTrigger } from "../../api/triggers"
import { useT } from "../../i18n"
import { useTable } from "../../i18n/table"
import { triggerWords } from "../../i18n/triggers"
import { CopyButton } from "../../ui/CopyButton"
import { Note } from "../../ui/Note"

/** Shows the secret of a trigger the one time that it can be seen, with commands that call it. */
export function Secret({ made }: { made: MadeTrigger }) {
  const say = useTable(triggerWords)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    place.current?.scrollIntoView({ block: "nearest" }) // newer browsers return a promise, which is no clean-up
  }, [made.secret])
  return (
    <div ref={place}>
      <Note tone="plain">
        <p className="text-ink">{say("once", { name: made.trigger.name })}</p>
        <Copied label={say("address")} text={made.trigger.url} />
        <Copied label={say("secret")} text={made.secret} />
        <Copied label={say("example")} text={made.example} />
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
        <code className="min-w-0 flex-1 font-mono text-small break-all whitespace-pre-wrap text-ink select-all">{text}</code>
        <CopyButton text={text} label={`${t("common.copy")}: ${label}`} />
      </div>
    </div>
  )
}
