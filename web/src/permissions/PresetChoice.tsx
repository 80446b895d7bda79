import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useId } from "react"

import { choosePreset, type Permissions, type Preset, presets } from "../api/permissions"
import { permissionWords } from "../i18n/permissions"
import { useTable } from "../i18n/table"
import { Note } from "../ui/Note"
import { permissionsQuery } from "./queries"

/** What tools may do in all conversations of the person. */
export function PresetChoice({ permissions }: { permissions: Permissions }) {
  const say = useTable(permissionWords)
  const name = useId()
  const client = useQueryClient()
  const { mutate, error, isPending, variables } = useMutation({
    mutationFn: choosePreset,
    onSuccess: (read) => client.setQueryData(permissionsQuery.queryKey, read),
  })
  const chosen = isPending ? variables : (permissions.preset ?? "")
  const options: { value: Preset | ""; title: string; text: string }[] = [
    { value: "", title: say("follow", { preset: say(permissions.default) }), text: "" },
    ...presets.map((preset) => ({ value: preset, title: say(preset), text: say(`${preset}Text`) })),
  ]
  return (
    <fieldset>
      <legend className="mb-2 text-small text-ink-3">{say("preset")}</legend>
      {options.map(({ value, title, text }) => (
        <label key={value} className="flex cursor-pointer gap-2.5 rounded-md py-1">
          <input type="radio" name={name} checked={chosen === value} onChange={() => mutate(value)} className="mt-1.5 size-3.5 shrink-0 accent-accent" />
          <span>
            {title}
            {text && <span className="block text-small text-ink-3">{text}</span>}
          </span>
        </label>
      ))}
      <p className="mt-1 text-small text-ink-3">{say("presetHint")}</p>
      {error && <Note tone="danger" className="mt-2">{error.message}</Note>}
    </fieldset>
  )
}
