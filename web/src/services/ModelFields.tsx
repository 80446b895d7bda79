import { useQuery } from "@tanstack/react-query"

import { useAccount } from "../account/account"
import { listProfileVersions } from "../api/memory"
import { listPromptVersions } from "../api/prompts"
import { modelsQuery } from "../api/queries"
import type { Service } from "../api/services"
import { useLanguage } from "../i18n"
import { moment } from "../i18n/format"
import { servicesWords } from "../i18n/services"
import { useTable } from "../i18n/table"
import { Choice } from "../ui/Choice"
import type { PartProps } from "./draft"

/** What of its administrator's a service works with: model, prompt and profile. Of another administrator's only what is chosen is known here. */
export function ModelFields({ of, filled: { model, prompt, profile }, set }: PartProps & { of?: Service }) {
  const say = useTable(servicesWords)
  const language = useLanguage()
  const { me } = useAccount()
  const mine = of === undefined || of.admin_id === me.user.id
  const { data: catalogue } = useQuery({ ...modelsQuery, enabled: mine })
  const { data: prompts } = useQuery({ queryKey: ["prompts", "system", "versions", "of services"], queryFn: () => listPromptVersions("system"), enabled: mine })
  const { data: profiles } = useQuery({ queryKey: ["profile", "versions", "of services"], queryFn: listProfileVersions, enabled: mine })
  const version = (n: number) => ({ value: String(n), text: n === 0 ? say("inForce") : say("version", { version: n }) })
  const chosen = (n: number, list: { value: string; text: string }[]) => [version(0), ...list, ...(n === 0 || list.some(({ value }) => value === String(n)) ? [] : [version(n)])]
  const promptsKnown = (prompts ?? []).map((p) => ({ value: String(p.version), text: [p.label, p.note, moment(language, p.changed_at)].filter(Boolean).join(" · ") }))
  const profilesKnown = (profiles ?? []).map((p) => ({ value: String(p.version), text: `${say("version", { version: p.version })} · ${moment(language, p.changed_at)}` }))
  return (
    <div className="space-y-4">
      <Choice label={say("model")} value={model} options={[{ value: "", text: say(mine ? "modelUsual" : "modelTheirs") }, ...(catalogue?.models ?? []).map(({ id }) => ({ value: id, text: id }))]} onValue={(id) => set({ model: id })} />
      <div className="grid gap-4 md:grid-cols-2">
        <Choice label={say("prompt")} value={String(prompt)} options={chosen(prompt, promptsKnown)} onValue={(n) => set({ prompt: Number(n) })} />
        <Choice label={say("profile")} value={String(profile)} options={chosen(profile, profilesKnown)} onValue={(n) => set({ profile: Number(n) })} />
      </div>
      {of && !mine && <p className="text-small text-ink-3">{say("theirs", { name: of.admin_name })}</p>}
    </div>
  )
}
