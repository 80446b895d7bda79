import { useMutation, useQueryClient } from "@tanstack/react-query"

import { choosePreset, type Permissions } from "../api/permissions"
import { permissionWords } from "../i18n/permissions"
import { useTable } from "../i18n/table"
import { Note } from "../ui/Note"
import { PresetRadios } from "./PresetRadios"
import { permissionsQuery } from "./queries"

/** What tools may do in all conversations of the person. */
export function PresetChoice({ permissions }: { permissions: Permissions }) {
  const say = useTable(permissionWords)
  const client = useQueryClient()
  const { mutate, error, isPending, variables } = useMutation({
    scope: { id: "preset" }, // one after the other
    mutationFn: choosePreset,
    onSuccess: (read) => client.setQueryData(permissionsQuery.queryKey, read),
  })
  const chosen = isPending ? variables : (permissions.preset ?? "")
  return (
    <PresetRadios legend={say("preset")} none={say("follow", { preset: say(permissions.default) })} chosen={chosen} onChoose={mutate}>
      <p className="mt-1 text-small text-ink-3">{say("presetHint")}</p>
      {error && <Note tone="danger" className="mt-2">{error.message}</Note>}
    </PresetRadios>
  )
}
