import type { Service } from "../api/services"
import { servicesWords } from "../i18n/services"
import { useTable } from "../i18n/table"
import { Section } from "../ui/Section"
import { Copied } from "./CopyField"
import { embedLine } from "./draft"

/** How the service comes to other sites. */
export function Embed({ service: { page, origins } }: { service: Service }) {
  const say = useTable(servicesWords)
  return (
    <Section title={say("embed")}>
      <div className="space-y-3">
        <Copied label={say("address")} text={location.origin + page} />
        {origins.length > 0 ? <Copied label={say("embedHint", { origins: origins.join(", ") })} text={embedLine(page)} /> : <p className="text-small text-ink-2">{say("embedNone")}</p>}
      </div>
    </Section>
  )
}
