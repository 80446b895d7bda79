import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type SubmitEvent, useState } from "react"

import { changePlugin, type Plugin, type PluginSetting } from "../../api/plugins"
import { useLanguage } from "../../i18n"
import { pluginsWords } from "../../i18n/plugins"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Field, PasswordField } from "../../ui/Field"
import { Note } from "../../ui/Note"

/** What was typed, by the name of the setting. What nobody touched is not sent. */
type Typed = Record<string, string>

/** The settings of a plugin. */
export function PluginSettings({ plugin: { id, name, settings, revision } }: { plugin: Plugin }) {
  const say = useTable(pluginsWords)
  const client = useQueryClient()
  const [typed, setTyped] = useState<Typed>({})
  const save = useMutation({
    mutationFn: () => changePlugin(id, { settings: Object.fromEntries((settings ?? []).flatMap((s) => (s.name in typed ? [[s.name, valueOf(s, typed[s.name] ?? "")]] : []))), revision }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["plugins"] }),
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form aria-label={say("settingsLabel", { name })} onSubmit={submit} className="space-y-3">
      {settings?.map((setting) => (
        <Input key={setting.name} setting={setting} value={typed[setting.name] ?? shown(setting)} onChange={(value) => setTyped({ ...typed, [setting.name]: value })} />
      ))}
      {save.error && <Note tone="danger">{save.error.message}</Note>}
      <Button type="submit" look="primary" disabled={save.isPending || Object.keys(typed).length === 0}>{say("save")}</Button>
    </form>
  )
}

const shown = ({ value }: PluginSetting): string => (value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value))

/** Nothing forgets a value; a secret that was left empty is not touched, so it comes here only when something was typed. */
function valueOf({ type }: PluginSetting, text: string): unknown {
  if (text === "") return null
  if (type === "number") return Number(text)
  if (type === "boolean") return text === "true"
  return text
}

function Input({ setting, value, onChange }: { setting: PluginSetting; value: string; onChange: (value: string) => void }) {
  const say = useTable(pluginsWords)
  const language = useLanguage()
  const label = setting.title[language] || setting.title.en || setting.name
  const props = { label, value, onChange: (event: { target: { value: string } }) => onChange(event.target.value) }
  if (setting.type === "secret") return <PasswordField {...props} autoComplete="off" hint={setting.set ? say("kept") : undefined} />
  if (setting.type === "string" || setting.type === "number") return <Field {...props} type={setting.type === "number" ? "number" : "text"} step="any" />
  const options = setting.type === "boolean" ? [["true", say("yes")] as const, ["false", say("no")] as const] : (setting.choices ?? []).map((choice) => [choice, choice] as const)
  return (
    <label className="block">
      <span className="mb-1.5 block font-medium">{label}</span>
      <select value={value} onChange={props.onChange} className="h-10 w-full rounded-md border border-line-strong bg-canvas px-3 text-body">
        {value === "" && <option value="" />}
        {options.map(([option, words]) => (
          <option key={option} value={option}>{words}</option>
        ))}
      </select>
    </label>
  )
}
