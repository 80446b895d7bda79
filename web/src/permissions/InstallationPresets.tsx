import { type Preset, presets } from "../api/permissions"
import { permissionWords } from "../i18n/permissions"
import { useTable } from "../i18n/table"
import { Note } from "../ui/Note"
import { Select } from "../ui/Select"
import { useInstallationPresets } from "./useInstallationPresets"

/** What tools may do for people who chose nothing: for administrators. */
export function InstallationPresets() {
  const say = useTable(permissionWords)
  const { shown, failed, change } = useInstallationPresets()
  return (
    <fieldset>
      <legend className="mb-2 text-small text-ink-3">{say("everybody")}</legend>
      {shown && (
        <div className="flex flex-wrap gap-4">
          {(["administrators", "others"] as const).map((who) => (
            <Select key={who} label={say(who)} value={shown[who]} options={presets} say={say} onChange={(preset: Preset) => change({ [who]: preset })} />
          ))}
        </div>
      )}
      <p className="mt-2 text-small text-ink-3">{say("everybodyHint")}</p>
      {failed && <Note tone="danger" className="mt-2">{failed.message}</Note>}
    </fieldset>
  )
}
