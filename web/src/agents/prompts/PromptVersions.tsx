import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"

import { deletePromptVersion, notePromptVersion, type Prompt, type PromptVersion, rollPromptBack } from "../../api/prompts"
import { useT } from "../../i18n"
import { promptWords } from "../../i18n/prompts"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Disclosure } from "../../ui/Disclosure"
import { Field } from "../../ui/Field"
import { Note } from "../../ui/Note"
import { Pending } from "../../ui/Pending"
import { Diff } from "../../ui/text/Diff"
import { VersionHead } from "../../ui/VersionHead"
import { nameOf } from "./names"
import { promptsQuery, promptTextQuery, promptVersionsQuery } from "./queries"

/** What a section was, who changed it and when; each with what it changed, its label and note, and the way back. */
export function PromptVersions({ prompt }: { prompt: Prompt }) {
  const say = useTable(promptWords)
  const { data, error } = useQuery(promptVersionsQuery(prompt.section))
  if (!data) return <Pending error={error} />
  return (
    <ol aria-label={say("versionsLabel", { name: nameOf(say, prompt.section) })} className="divide-y divide-line">
      {data.map((version, n) => (
        <li key={version.version}>
          <Disclosure head={() => <Head version={version} inForce={version.version === prompt.version} />}>
            <Version prompt={prompt} version={version} before={data[n + 1]?.version ?? 0} />
          </Disclosure>
        </li>
      ))}
    </ol>
  )
}

function Head({ version, inForce }: { version: PromptVersion; inForce: boolean }) {
  const say = useTable(promptWords)
  const size = version.characters === 0 ? say("isDefault") : say("characters", { count: version.characters })
  return <VersionHead version={version} facts={[size]} mark={inForce ? say("inForce") : undefined} />
}

function Version({ prompt, version, before }: { prompt: Prompt; version: PromptVersion; before: number }) {
  const t = useT()
  const say = useTable(promptWords)
  const client = useQueryClient()
  const again = () => client.invalidateQueries({ queryKey: promptsQuery.queryKey })
  const { data: now, error } = useQuery(promptTextQuery(prompt.section, version.version))
  const { data: then, error: thenError } = useQuery(promptTextQuery(prompt.section, before))
  const back = useMutation({ mutationFn: () => rollPromptBack(prompt.section, version.version, prompt.version), onSuccess: again })
  const removal = useMutation({ mutationFn: () => deletePromptVersion(prompt.section, version.version), onSuccess: again })
  const failed = error ?? thenError
  if (failed) return <Note tone="danger">{failed.message}</Note>
  if (!now || (before > 0 && !then)) return <p className="text-small text-ink-3">{t("app.loading")}</p>
  const problem = back.error ?? removal.error
  return (
    <div className="space-y-3">
      <Diff label={say("change", { label: version.label })} before={then?.content || prompt.default} after={now.content || prompt.default} />
      <Remark section={prompt.section} version={version} onKept={again} />
      {version.version !== prompt.version && (
        <div className="flex flex-wrap gap-2">
          <Button disabled={back.isPending} onClick={() => back.mutate()}>{say("bringBack")}</Button>
          <Button look="quiet" disabled={removal.isPending} onClick={() => removal.mutate()}>{say("removeVersion")}</Button>
        </div>
      )}
      {problem && <Note tone="danger">{problem.message}</Note>}
    </div>
  )
}

/** The label and the note of a version, which can be changed. */
function Remark({ section, version, onKept }: { section: string; version: PromptVersion; onKept: () => Promise<void> }) {
  const say = useTable(promptWords)
  const [label, setLabel] = useState(version.label)
  const [note, setNote] = useState(version.note)
  const keeping = useMutation({ mutationFn: () => notePromptVersion(section, version.version, { label, note }), onSuccess: onKept })
  return (
    <form
      className="space-y-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (label.trim() !== "" && !keeping.isPending) keeping.mutate()
      }}
    >
      <div className="grid gap-3 md:grid-cols-2">
        <Field label={say("label")} maxLength={60} value={label} onChange={(event) => setLabel(event.target.value)} />
        <Field label={say("note")} maxLength={500} value={note} onChange={(event) => setNote(event.target.value)} />
      </div>
      {keeping.error && <Note tone="danger">{keeping.error.message}</Note>}
      <Button type="submit" look="quiet" disabled={label.trim() === "" || (label === version.label && note === version.note)}>{say("keepNote")}</Button>
    </form>
  )
}
