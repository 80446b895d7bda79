import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"

import { deleteProfileVersion, listProfileVersions, type Profile, type ProfileVersion, readProfile, readProfileVersion, rollProfileBack } from "../api/memory"
import { asProblem } from "../api/problem"
import { useT } from "../i18n"
import { profileWords } from "../i18n/profile"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Disclosure } from "../ui/Disclosure"
import { Note } from "../ui/Note"
import { Pending } from "../ui/Pending"
import { Diff } from "../ui/text/Diff"
import { toast } from "../ui/toasts"
import { VersionHead } from "../ui/VersionHead"

/** Texts of versions never change; version 0 has none. */
const textQuery = (version: number) =>
  queryOptions({ queryKey: ["profile text", version], queryFn: () => readProfileVersion(version), staleTime: Infinity, enabled: version > 0 })

/** What the person said of themselves before, with what each change was, and the way back. Nothing where there was no change. */
export default function ProfileVersions() {
  const say = useTable(profileWords)
  const { data: profile } = useQuery({ queryKey: ["profile"], queryFn: readProfile, retry: false })
  if (!profile?.revision) return null
  return (
    <Disclosure className="-mx-2" head={() => <span className="text-ink-2">{say("versions")}</span>}>
      <List profile={profile} />
    </Disclosure>
  )
}

function List({ profile }: { profile: Profile }) {
  const say = useTable(profileWords)
  const { data, error } = useQuery({ queryKey: ["profile", "versions", profile.revision], queryFn: listProfileVersions })
  if (!data) return <Pending error={error} />
  return (
    <ol aria-label={say("versions")} className="divide-y divide-line">
      {data.map((version, n) => (
        <li key={version.version}>
          <Disclosure head={() => <Head version={version} current={version.version === profile.revision} />}>
            <Version profile={profile} version={version} before={data[n + 1]?.version ?? 0} />
          </Disclosure>
        </li>
      ))}
    </ol>
  )
}

function Head({ version, current }: { version: ProfileVersion; current: boolean }) {
  const say = useTable(profileWords)
  const facts = [version.characters === 0 ? say("empty") : say("characters", { count: version.characters }), version.timezone]
  return <VersionHead version={{ ...version, label: `v${version.version}` }} facts={facts} mark={current ? say("current") : undefined} />
}

function Version({ profile, version: { version }, before }: { profile: Profile; version: ProfileVersion; before: number }) {
  const t = useT()
  const say = useTable(profileWords)
  const client = useQueryClient()
  const again = () => client.invalidateQueries({ queryKey: ["profile"] })
  const failed = (error: unknown) => {
    toast(asProblem(error).message)
    return again()
  }
  const { data: now, error } = useQuery(textQuery(version))
  const { data: then, error: thenError } = useQuery(textQuery(before))
  const back = useMutation({ mutationFn: () => rollProfileBack(version, profile.revision), onSuccess: again, onError: failed })
  const removal = useMutation({ mutationFn: () => deleteProfileVersion(version), onSuccess: again, onError: failed })
  const problem = error ?? thenError
  if (problem) return <Note tone="danger">{problem.message}</Note>
  if (!now || (before > 0 && !then)) return <p className="text-small text-ink-3">{t("app.loading")}</p>
  const text = (v?: ProfileVersion) => [v?.content, v?.timezone && say("timezone", { zone: v.timezone })].filter(Boolean).join("\n")
  return (
    <div className="space-y-3">
      <Diff label={say("change", { version: `v${version}` })} before={text(then)} after={text(now)} />
      {version !== profile.revision && (
        <div className="flex flex-wrap gap-2">
          <Button disabled={back.isPending} onClick={() => back.mutate()}>{say("goBack")}</Button>
          <Button look="quiet" disabled={removal.isPending} onClick={() => removal.mutate()}>{say("remove")}</Button>
        </div>
      )}
    </div>
  )
}
