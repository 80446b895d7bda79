import { permissionWords } from "../i18n/permissions"
import { useTable } from "../i18n/table"
import { Note } from "../ui/Note"
import { PresetRadios } from "./PresetRadios"
import { useInstallationPresets } from "./useInstallationPresets"

/**
 * Asks an administrator what tools may do on the server's own host, where only administrators' run: until somebody has answered. Then it
 * says what was chosen.
 */
export function HostPreset() {
  const say = useTable(permissionWords)
  const { data, shown, failed, tried, change } = useInstallationPresets()
  if (!data || !shown) return failed && <Note tone="danger" className="mt-3">{failed.message}</Note>
  const preset = say(shown.administrators)
  if (data.chosen && !tried) return <p className="mt-3 border-t border-line pt-3 text-ink-2">{say("hostIs", { preset, text: say(`${shown.administrators}Text`) })}</p>
  const chosen = shown === data && !data.chosen ? undefined : shown.administrators
  const state = failed ? (
    <Note tone="danger" className="mb-1">{failed.message}</Note>
  ) : (
    <p role="status" className="mb-1 font-medium">{say(data.chosen ? "hostSaved" : "hostUntil", { preset: say(data.administrators) })}</p>
  )
  return (
    <div className="mt-3 border-t border-line pt-3">
      <PresetRadios legend={say("hostTitle")} chosen={chosen} onChoose={(administrators) => administrators && change({ administrators })} above={state}>
        <p className="mt-1 text-small text-ink-3">{say("hostHint")}</p>
      </PresetRadios>
    </div>
  )
}
