import { useMutation, useQuery } from "@tanstack/react-query"

import { listPreferenceVersions, type Preferences, type PreferenceVersion, rollPreferencesBack } from "../api/preferences"
import { asProblem } from "../api/problem"
import { useLanguage } from "../i18n"
import { preferenceWords } from "../i18n/preferences"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Disclosure } from "../ui/Disclosure"
import { Pending } from "../ui/Pending"
import { toast } from "../ui/toasts"
import { VersionHead } from "../ui/VersionHead"
import { preferencesChanged, preferencesQuery } from "./preferences"

/** What the person had set before, and the way back. Nothing where nothing was changed. */
export default function PreferenceVersions() {
  const say = useTable(preferenceWords)
  const { data } = useQuery(preferencesQuery(useLanguage()))
  if (!data?.version) return null
  return (
    <Disclosure className="-mx-2" head={() => <span className="text-ink-2">{say("versions")}</span>}>
      <List now={data} />
    </Disclosure>
  )
}

function List({ now }: { now: Preferences }) {
  const say = useTable(preferenceWords)
  const { data, error } = useQuery({ queryKey: ["preferences", "versions", now.version], queryFn: listPreferenceVersions })
  const { mutate, isPending } = useMutation({
    mutationFn: (to: number) => rollPreferencesBack(to, now.version),
    onSuccess: preferencesChanged,
    onError: (failure: unknown) => {
      toast(asProblem(failure).message)
      return preferencesChanged()
    },
  })
  if (!data) return <Pending error={error} />
  return (
    <ol aria-label={say("versions")} className="divide-y divide-line">
      {data.map((version) => (
        <li key={version.version} className="flex flex-wrap items-center gap-2 py-1.5 pl-2">
          <Head now={now} version={version} />
          {version.version !== now.version && (
            <Button look="quiet" disabled={isPending} onClick={() => mutate(version.version)}>
              {say("goBack")}
            </Button>
          )}
        </li>
      ))}
    </ol>
  )
}

function Head({ now, version }: { now: Preferences; version: PreferenceVersion }) {
  const say = useTable(preferenceWords)
  const setting = now.settings.find(({ name }) => name === version.name)
  const title = (value: string) => setting?.options?.find((option) => option.value === value)?.title ?? (value || say("none"))
  const note = say("became", { before: title(version.before), after: title(version.after) })
  return <VersionHead version={{ ...version, label: setting?.title ?? version.name, note }} facts={[]} mark={version.version === now.version ? say("current") : undefined} />
}
