import { useQuery } from "@tanstack/react-query"

import { useAccount } from "../account/account"
import { useT } from "../i18n"
import { permissionWords } from "../i18n/permissions"
import { useTable } from "../i18n/table"
import { Note } from "../ui/Note"
import { Section } from "../ui/Section"
import { InstallationPresets } from "./InstallationPresets"
import { NarrowRules } from "./NarrowRules"
import { PresetChoice } from "./PresetChoice"
import { permissionsQuery } from "./queries"
import { ToolRow } from "./ToolRow"

/** What tools may do: by a preset, by rules for some calls, by rules for whole tools. */
export default function PermissionsPage() {
  const t = useT()
  const say = useTable(permissionWords)
  const { me } = useAccount()
  const { data, error } = useQuery(permissionsQuery)
  return (
    <div className="space-y-6">
      <p className="text-ink-2">{t("permissions.lead")}</p>
      {error && <Note tone="danger">{error.message}</Note>}
      {data && (
        <>
          <PresetChoice permissions={data} />
          {me.user.role === "admin" && <InstallationPresets />}
          <NarrowRules permissions={data} />
          <Section title={say("tools")}>
            <ul className="divide-y divide-line">
              {data.tools.map((tool) => (
                <li key={tool.name}>
                  <ToolRow tool={tool} />
                </li>
              ))}
            </ul>
          </Section>
        </>
      )}
    </div>
  )
}
