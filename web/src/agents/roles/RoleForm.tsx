import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type SubmitEvent, useState } from "react"

import { modelsQuery } from "../../api/queries"
import { type PoolTool, type Role, type RoleDraft, saveRole } from "../../api/roles"
import { roleWords } from "../../i18n/roles"
import { useTable } from "../../i18n/table"
import { Area } from "../../ui/Area"
import { Button } from "../../ui/Button"
import { CheckField } from "../../ui/CheckField"
import { Choice } from "../../ui/Choice"
import { Field } from "../../ui/Field"
import { Note } from "../../ui/Note"
import { rolesQuery } from "./queries"
import { ToolsField } from "./ToolsField"

const TIERS = ["vanguard", "balance", "swift"]

interface Props {
  /** The role that is changed; not there: a new one. */
  of?: Role
  begin: RoleDraft
  pool: PoolTool[]
  onDone: () => void
}

/** What a role is called, told and given. */
export function RoleForm({ of, begin, pool, onDone }: Props) {
  const say = useTable(roleWords)
  const client = useQueryClient()
  const { data: catalogue } = useQuery(modelsQuery)
  const [draft, setDraft] = useState(begin)
  const saving = useMutation({
    mutationFn: () => saveRole(of, draft),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: rolesQuery.queryKey })
      onDone()
    },
  })
  const set = (change: Partial<RoleDraft>) => setDraft({ ...draft, ...change })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!saving.isPending) saving.mutate()
  }
  const models = [
    { value: "", text: say("sameModel") },
    ...TIERS.map((value) => ({ value, text: say("tier", { tier: value }) })),
    ...(catalogue?.models ?? []).map(({ id }) => ({ value: id, text: id })),
  ]
  return (
    <form className="space-y-4" onSubmit={submit} noValidate>
      <div className="grid gap-4 md:grid-cols-2">
        <Field label={say("name")} hint={say("nameHint")} value={draft.name} maxLength={40} onChange={(event) => set({ name: event.target.value })} />
        <Choice label={say("model")} value={draft.model ?? ""} options={models} onValue={(model) => set({ model })} />
      </div>
      <Field label={say("description")} hint={say("descriptionHint")} value={draft.description} maxLength={300} onChange={(event) => set({ description: event.target.value })} />
      <Area label={say("prompt")} hint={say("promptHint")} rows={10} value={draft.prompt} onValue={(prompt) => set({ prompt })} />
      <ToolsField pool={pool} value={draft.tools} onValue={(tools) => set({ tools })} />
      <CheckField label={say("enabled")} checked={draft.enabled} onChange={(enabled) => set({ enabled })} />
      {saving.error && <Note tone="danger">{saving.error.message}</Note>}
      <div className="flex gap-2">
        <Button type="submit" look="primary" aria-disabled={saving.isPending}>
          {say(saving.isPending ? "saving" : "save")}
        </Button>
        <Button look="quiet" onClick={onDone}>{say("cancel")}</Button>
      </div>
    </form>
  )
}
