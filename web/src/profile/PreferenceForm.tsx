import { useMutation, useQuery } from "@tanstack/react-query"

import { type Setting, setPreference } from "../api/preferences"
import { asProblem } from "../api/problem"
import { useLanguage } from "../i18n"
import { preferenceWords } from "../i18n/preferences"
import { useTable } from "../i18n/table"
import { Pending } from "../ui/Pending"
import { Select } from "../ui/Select"
import { toast } from "../ui/toasts"
import { preferencesChanged, preferencesQuery } from "./preferences"

/** Settings that another place of the page is about: how it looks, the profile, models, permissions, titles. */
const elsewhere = /^(theme|page_language|timezone|model|tier_\w+|preset|titles|turn_notices)$/

/** What a person sets for themselves that has no place of its own. A change holds at once. */
export default function PreferenceForm() {
  const say = useTable(preferenceWords)
  const { data, error } = useQuery(preferencesQuery(useLanguage()))
  if (!data) return <Pending error={error} />
  return (
    <>
      <div className="flex flex-wrap gap-4">
        {data.settings.filter(({ name }) => !elsewhere.test(name)).map((setting) => (
          <Choice key={setting.name} setting={setting} />
        ))}
      </div>
      <p className="mt-2 text-small text-ink-3">{say("lead")}</p>
    </>
  )
}

function Choice({ setting: { name, title, value, options } }: { setting: Setting }) {
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (next: string) => setPreference(name, next),
    onSuccess: preferencesChanged,
    onError: (error: unknown) => toast(asProblem(error).message),
  })
  const offered = options ?? []
  return (
    <Select
      label={title}
      value={isPending ? variables : value}
      options={offered.map((option) => option.value)}
      say={(option) => offered.find((one) => one.value === option)?.title ?? option}
      onChange={(next) => mutate(next)}
    />
  )
}
