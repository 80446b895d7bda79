import { useMutation, useQueryClient } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"

import { changePlugin, type Plugin, reloadPlugin, removePlugin } from "../../api/plugins"
import { useLanguage } from "../../i18n"
import { moment } from "../../i18n/format"
import { pluginsWords } from "../../i18n/plugins"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Note } from "../../ui/Note"
import { Contributions } from "./Contributions"
import { PluginSettings } from "./PluginSettings"

const Confirm = lazy(() => import("../../ui/Confirm"))

/** A plugin that is installed, with what can be done with it. */
export function PluginRow({ plugin }: { plugin: Plugin }) {
  const say = useTable(pluginsWords)
  const language = useLanguage()
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const [open, setOpen] = useState(false)
  const { id, version, enabled, problem, missing, settings, failure, failure_at: failedAt } = plugin
  const name = plugin.name || id
  const act = useMutation({
    mutationFn: async (what: "switch" | "reload" | "remove") => {
      if (what === "switch") await changePlugin(id, { enabled: !enabled })
      else if (what === "reload") await reloadPlugin(id)
      else await removePlugin(id)
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["plugins"] }),
  })
  const state = enabled ? (problem ? "failing" : "on") : "off"
  return (
    <li aria-label={name} className="space-y-3 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-48 flex-1">
          <p className="font-medium break-words">{name}</p>
          <p className="text-small break-all text-ink-3">{[id, version, say(state)].join(" · ")}</p>
        </div>
        <div className="flex flex-wrap gap-1">
          {settings?.length ? (
            <Button look="quiet" aria-expanded={open} aria-label={say("settingsLabel", { name })} onClick={() => setOpen(!open)}>{say("settings")}</Button>
          ) : null}
          <Button look="quiet" disabled={act.isPending} aria-label={say(enabled ? "disableLabel" : "enableLabel", { name })} onClick={() => act.mutate("switch")}>
            {say(enabled ? "disable" : "enable")}
          </Button>
          <Button look="quiet" disabled={act.isPending} aria-label={say("reloadLabel", { name })} onClick={() => act.mutate("reload")}>{say("reload")}</Button>
          <Button look="quiet" disabled={act.isPending} aria-label={say("removeLabel", { name })} onClick={() => setAsking(true)}>{say("remove")}</Button>
        </div>
      </div>
      {problem && <Note tone="danger" className="break-words">{problem}</Note>}
      {failedAt && <p className="text-small break-words text-ink-2">{say("failed", { at: moment(language, failedAt), text: failure ?? "" })}</p>}
      {missing?.length ? <Note tone="danger">{say("missing", { names: missing.join(", ") })}</Note> : null}
      {act.error && <Note tone="danger">{act.error.message}</Note>}
      <Contributions about={plugin} />
      {open && <PluginSettings key={plugin.revision} plugin={plugin} />}
      <Suspense>
        {asking && <Confirm title={say("removeTitle", { name })} text={say("removeText")} action={say("remove")} onClose={() => setAsking(false)} onConfirm={() => act.mutate("remove")} />}
      </Suspense>
    </li>
  )
}
