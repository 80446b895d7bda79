import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"

import { type InstallationPresets as Presets, type Preset, presets, readInstallationPresets, setInstallationPresets } from "../api/permissions"
import { permissionWords } from "../i18n/permissions"
import { useTable } from "../i18n/table"
import { Note } from "../ui/Note"
import { Select } from "../ui/Select"
import { permissionsQuery } from "./queries"

const key = ["installation-presets"]

/** What tools may do for people who chose nothing: for administrators. */
export function InstallationPresets() {
  const say = useTable(permissionWords)
  const client = useQueryClient()
  const { data, error } = useQuery({ queryKey: key, queryFn: readInstallationPresets })
  const change = useMutation({
    mutationFn: setInstallationPresets,
    onSuccess: (read) => {
      client.setQueryData(key, read)
      return client.invalidateQueries({ queryKey: permissionsQuery.queryKey })
    },
    onError: () => client.invalidateQueries({ queryKey: key }),
  })
  const failed = error ?? change.error
  const choice = (who: "administrators" | "others", from: Presets) => (
    <Select
      label={say(who)}
      value={(change.isPending ? change.variables : from)[who]}
      options={presets}
      say={say}
      onChange={(preset: Preset) => change.mutate({ ...from, [who]: preset })}
    />
  )
  return (
    <fieldset>
      <legend className="mb-2 text-small text-ink-3">{say("everybody")}</legend>
      {data && (
        <div className="flex flex-wrap gap-4">
          {choice("administrators", data)}
          {choice("others", data)}
        </div>
      )}
      <p className="mt-2 text-small text-ink-3">{say("everybodyHint")}</p>
      {failed && <Note tone="danger" className="mt-2">{failed.message}</Note>}
    </fieldset>
  )
}
