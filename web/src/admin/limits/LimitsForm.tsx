import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type SubmitEvent, useState } from "react"

import { type LimitNumbers, type Limits, setLimits } from "../../api/policy"
import { asProblem } from "../../api/problem"
import { useT } from "../../i18n"
import { limitWords } from "../../i18n/limits"
import { useTable } from "../../i18n/table"
import { Button } from "../../ui/Button"
import { Field } from "../../ui/Field"
import { Note } from "../../ui/Note"
import { toast } from "../../ui/toasts"

const names: (keyof LimitNumbers)[] = [
  "turns", "user_turns", "own_key_turns", "llm_global", "llm_personal", "llm_subagent", "provider_wait_minutes",
  "subagent_depth", "subagents_per_turn", "subagents_running", "subagent_tokens",
  "person_sessions", "person_runners", "person_tokens", "person_storage", "person_voice",
  "media_pictures", "media_characters", "media_seconds", "media_at_once",
]

interface Draft {
  /** Of the policy that it changes. */
  version: number
  numbers: LimitNumbers
}

/** The limits as numbers that can be changed; an empty field is the default. */
export function LimitsForm({ limits }: { limits: Limits }) {
  const t = useT()
  const say = useTable(limitWords)
  const client = useQueryClient()
  const [draft, setDraft] = useState<Draft>()
  const numbers = draft?.numbers ?? limits.set
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: setLimits,
    onSuccess: (stands) => {
      client.setQueryData(["limits"], stands)
      setDraft(undefined)
      toast(say("saved", { version: stands.version }))
    },
  })
  const write = (name: keyof LimitNumbers, text: string) =>
    setDraft({ version: draft?.version ?? limits.version, numbers: { ...numbers, [name]: text === "" ? 0 : Number(text) } })
  const drop = () => {
    reset()
    setDraft(undefined)
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (draft && !isPending) mutate({ version: draft.version, limits: draft.numbers })
  }
  const problem = error && asProblem(error)
  return (
    <form aria-label={t("limits.title")} onSubmit={submit} noValidate>
      <div className="grid gap-x-6 gap-y-4 md:grid-cols-2">
        {names.map((name) => (
          <Field
            key={name}
            type="number"
            inputMode="numeric"
            step={1}
            label={say(name)}
            placeholder={limits.default[name] === 0 ? t("limits.none") : String(limits.default[name])}
            value={numbers[name] === 0 ? "" : numbers[name]}
            onChange={({ target }) => write(name, target.value)}
          />
        ))}
      </div>
      <p className="mt-3 text-small text-ink-3">{say("hint")}</p>
      {problem && (
        <Note tone="danger" className="mt-3">
          {problem.faults.length > 0 ? problem.faults.map((fault) => <p key={fault}>{fault}</p>) : problem.message}
        </Note>
      )}
      {draft && (
        <div className="mt-4 flex gap-2">
          <Button type="submit" look="primary" aria-disabled={isPending}>
            {say("save")}
          </Button>
          <Button look="quiet" onClick={drop}>
            {say("drop")}
          </Button>
        </div>
      )}
    </form>
  )
}
