import { useQuery } from "@tanstack/react-query"
import { useState } from "react"

import { useAccount } from "../account/account"
import type { ServiceName, ToolKey, ToolService } from "../api/keys"
import { keysWords } from "../i18n/keys"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Note } from "../ui/Note"
import { Section } from "../ui/Section"
import { KeyForm } from "./KeyForm"
import { keysQuery } from "./queries"

/** The services that tools use: where what is used comes from, and a form for each. */
export function KeysPart() {
  const say = useTable(keysWords)
  const { me } = useAccount()
  const { data, error } = useQuery(keysQuery)
  const [open, setOpen] = useState<string>()
  if (error && !data) return <Note tone="danger">{error.message}</Note>
  if (!data) return null
  return (
    <Section title={say("title")}>
      <p className="text-ink-2">{say("lead")}</p>
      <ul aria-label={say("title")} className="divide-y divide-line">
        {data.services.map((service) => {
          const name = service.service as ServiceName
          const keys = data.keys.filter((key) => key.service === name)
          return (
            <li key={name} aria-label={say(name)} className="py-2.5">
              <Row service={service} keys={keys} onEdit={() => setOpen(open === name ? undefined : name)} open={open === name} />
              {open === name && <KeyForm name={name} providers={service.providers ?? []} keys={keys} admin={me.user.role === "admin"} onDone={() => setOpen(undefined)} />}
            </li>
          )
        })}
      </ul>
    </Section>
  )
}

function Row({ service: { service, source }, keys, open, onEdit }: { service: ToolService; keys: ToolKey[]; open: boolean; onEdit: () => void }) {
  const say = useTable(keysWords)
  const name = say(service as ServiceName)
  const used = keys.find(({ shared }) => shared === (source === "installation"))
  const hint = source !== "environment" && used?.key_hint ? say("key", { hint: used.key_hint }) : undefined
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <span className="min-w-48 flex-1">
        <span className="block font-medium">{name}</span>
        <span className="block text-small text-ink-3">{[say(source ?? "nothing"), hint].filter(Boolean).join(" · ")}</span>
      </span>
      <Button look="quiet" aria-label={say("editLabel", { name })} aria-expanded={open} onClick={onEdit}>
        {say("edit")}
      </Button>
    </div>
  )
}
