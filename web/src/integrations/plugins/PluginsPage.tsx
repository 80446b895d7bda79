import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type ChangeEvent, useId, useRef } from "react"

import { checkPlugin, installPlugin, listPlugins, type PluginDraft } from "../../api/plugins"
import { pluginsWords } from "../../i18n/plugins"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { Pending } from "../../ui/Pending"
import { Contributions } from "./Contributions"
import { PluginRow } from "./PluginRow"

/** Milliseconds between two looks while somebody looks. */
const LOOK = 5_000

/** The plugins of the installation, for administrators. */
export default function PluginsPage() {
  const say = useTable(pluginsWords)
  const { data, error } = useQuery({ queryKey: ["plugins"], queryFn: listPlugins, refetchInterval: LOOK })
  if (!data) return <Pending error={error} />
  return (
    <div className="space-y-5">
      <p className="text-ink-2">{say("lead")}</p>
      <Install />
      {data.length === 0 && <p className="text-ink-2">{say("none")}</p>}
      <ul aria-label={say("list")} className="divide-y divide-line">
        {data.map((plugin) => (
          <PluginRow key={plugin.id} plugin={plugin} />
        ))}
      </ul>
    </div>
  )
}

/** Reads an archive, shows what it holds and asks for, and installs it when somebody permits that. */
function Install() {
  const say = useTable(pluginsWords)
  const client = useQueryClient()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const checked = useMutation({ mutationFn: async (archive: File) => ({ archive, draft: await checkPlugin(archive) }) })
  const installed = useMutation({
    mutationFn: ({ archive, draft }: { archive: File; draft: PluginDraft }) => installPlugin(archive, draft),
    onSuccess: () => {
      checked.reset()
      return client.invalidateQueries({ queryKey: ["plugins"] })
    },
  })
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const archive = target.files?.[0]
    target.value = ""
    installed.reset()
    if (archive) checked.mutate(archive)
  }
  const error = installed.error ?? checked.error
  return (
    <div className="space-y-3">
      <label htmlFor={id} className="sr-only">{say("archive")}</label>
      <input ref={input} id={id} type="file" accept=".zip,.tar,.tgz,.gz" className="sr-only" tabIndex={-1} onChange={choose} />
      <Button disabled={checked.isPending || installed.isPending} onClick={() => input.current?.click()}>{say("choose")}</Button>
      {error && <Note tone="danger">{error.message}</Note>}
      {checked.data && (
        <section aria-label={checked.data.draft.name} className="space-y-3 rounded-md border border-line p-3">
          <p className="font-medium break-words">{checked.data.draft.name} {checked.data.draft.version}</p>
          {checked.data.draft.replaces && <p className="text-small text-ink-2">{say("replaces", { version: checked.data.draft.replaces })}</p>}
          <Contributions about={checked.data.draft} />
          <div className="flex gap-2">
            <Button look="primary" disabled={installed.isPending} onClick={() => installed.mutate(checked.data)}>{say("install")}</Button>
            <Button look="quiet" onClick={() => checked.reset()}>{say("cancel")}</Button>
          </div>
        </section>
      )}
    </div>
  )
}
