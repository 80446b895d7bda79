import type { Service } from "../api/services"
import { servicesWords } from "../i18n/services"
import { useTable } from "../i18n/table"
import { Section } from "../ui/Section"
import { CopyField } from "./CopyField"
import { embedLine } from "./draft"

/** How the service comes to other sites. */
export function Embed({ service: { page, origins } }: { service: Service }) {
  const say = useTable(servicesWords)
  return (
    <Section title={say("embed")}>
      <div className="space-y-3">
        <CopyField label={say("address")} text={location.origin + page} />
        {origins.length > 0 ? <CopyField label={say("embedHint", { origins: origins.join(", ") })} text={embedLine(page)} /> : <p className="text-small text-ink-2">{say("embedNone")}</p>}
      </div>
    </Section>
  )
}
