import { useMutation, useQueryClient } from "@tanstack/react-query"
import { lazy, type SubmitEvent, Suspense, useState } from "react"

import { type Prompt, resetPrompt, savePrompt } from "../../api/prompts"
import { promptWords } from "../../i18n/prompts"
import { useTable } from "../../i18n/table"
import { Area } from "../../ui/Area"
import { Button } from "../../ui/Button"
import { Disclosure } from "../../ui/Disclosure"
import { Field } from "../../ui/Field"
import { Note } from "../../ui/Note"
import { toast } from "../../ui/toasts"
import { nameOf } from "./names"
import { PlaceField } from "./PlaceField"
import { PromptVersions } from "./PromptVersions"
import { promptsQuery } from "./queries"

const Confirm = lazy(() => import("../../ui/Confirm"))

const VARIABLES = "{{.Agent}} {{.Channel}} {{.User}} {{.Admin}} {{.Language}} {{.Runner}} {{.Tools}}"
const CONDITIONS = '{{if .Has "Shell"}}…{{else}}…{{end}}, not, and, or'

/** Changes a section: its text, with a label and a note; the default; the versions. Unfolded parts stay open when a version is saved. */
export function PromptEditor({ prompt }: { prompt: Prompt }) {
  const say = useTable(promptWords)
  return (
    <div className="space-y-3">
      <PromptForm key={prompt.version} prompt={prompt} />
      {prompt.is_custom && (
        <Disclosure className="-mx-2" head={() => <span className="text-ink-2">{say("default")}</span>}>
          <pre className="max-h-64 overflow-auto font-sans text-small break-words whitespace-pre-wrap text-ink-2" tabIndex={0}>{prompt.default}</pre>
        </Disclosure>
      )}
      {prompt.version > 0 && (
        <Disclosure className="-mx-2" head={() => <span className="text-ink-2">{say("versionsLabel", { name: nameOf(say, prompt.section) })}</span>}>
          <PromptVersions prompt={prompt} />
        </Disclosure>
      )}
    </div>
  )
}

/** The fields of a section, filled from the version in force. */
function PromptForm({ prompt }: { prompt: Prompt }) {
  const say = useTable(promptWords)
  const client = useQueryClient()
  const system = prompt.section === "system"
  const [draft, setDraft] = useState({ content: prompt.value, beside: prompt.beside, label: "", note: "" })
  const saving = useMutation({
    mutationFn: () => savePrompt(prompt.section, { ...draft, version: prompt.version }),
    onSuccess: () => {
      toast(say("saved"))
      return client.invalidateQueries({ queryKey: promptsQuery.queryKey })
    },
  })
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!saving.isPending) saving.mutate()
  }
  return (
    <form className="space-y-3" onSubmit={submit} noValidate>
      {system && <PlaceField beside={draft.beside} onChange={(beside) => set({ beside, content: beside && draft.content === prompt.default ? "" : draft.content })} />}
      <Area
        label={say("text")}
        hint={system ? say("systemHint", { variables: VARIABLES, conditions: CONDITIONS }) : say("characters", { count: draft.content.length })}
        rows={system ? 12 : 5}
        limit={system ? 20_000 : 4_000}
        value={draft.content}
        onValue={(content) => set({ content })}
      />
      <div className="grid gap-3 md:grid-cols-2">
        <Field label={say("label")} placeholder={`v${prompt.version + 1}`} maxLength={60} value={draft.label} onChange={(event) => set({ label: event.target.value })} />
        <Field label={say("note")} maxLength={500} value={draft.note} onChange={(event) => set({ note: event.target.value })} />
      </div>
      {saving.error && <Note tone="danger">{saving.error.message}</Note>}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" aria-disabled={saving.isPending}>
          {say(saving.isPending ? "saving" : "save")}
        </Button>
        {prompt.is_custom && <Reset prompt={prompt} />}
      </div>
    </form>
  )
}

function Reset({ prompt }: { prompt: Prompt }) {
  const say = useTable(promptWords)
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const resetting = useMutation({ mutationFn: () => resetPrompt(prompt.section, prompt.version), onSuccess: () => client.invalidateQueries({ queryKey: promptsQuery.queryKey }) })
  return (
    <>
      <Button aria-label={say("resetLabel", { name: nameOf(say, prompt.section) })} disabled={resetting.isPending} onClick={() => setAsking(true)}>{say("reset")}</Button>
      {resetting.error && <Note tone="danger" className="w-full">{resetting.error.message}</Note>}
      <Suspense>
        {asking && <Confirm title={say("resetTitle")} text={say("resetText")} action={say("reset")} onClose={() => setAsking(false)} onConfirm={() => resetting.mutate()} />}
      </Suspense>
    </>
  )
}
