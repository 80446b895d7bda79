import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type SubmitEvent, useState } from "react"

import { createRunner } from "../api/calls"
import { runnersQuery } from "../api/queries"
import { useT } from "../i18n"
import { Button } from "../ui/Button"
import { Field } from "../ui/Field"
import { Note } from "../ui/Note"
import type { ShownToken } from "./RunnerToken"

/** What the server takes as a name. */
const NAME = /^[a-z0-9][a-z0-9_.-]{0,127}$/

/** Makes a runner of the person's own: a name, then a token for the machine. */
export function NewRunner({ onToken }: { onToken: (token: ShownToken) => void }) {
  const t = useT()
  const client = useQueryClient()
  const [name, setName] = useState("")
  const [wrong, setWrong] = useState(false)
  const creation = useMutation({
    mutationFn: createRunner,
    onSuccess: async ({ runner, token, command }) => {
      setName("")
      onToken({ name: runner.name, token, command })
      await client.invalidateQueries(runnersQuery)
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const wanted = name.trim()
    setWrong(!NAME.test(wanted))
    if (NAME.test(wanted) && !creation.isPending) creation.mutate(wanted)
  }
  return (
    <>
      <form className="mt-4 flex items-start gap-2" onSubmit={submit} noValidate>
        <Field
          className="min-w-0 flex-1"
          label={t("runners.new")}
          hint={t("runners.newHint")}
          problem={wrong ? t("runners.badName") : undefined}
          value={name}
          onChange={(event) => {
            setName(event.target.value)
            setWrong(false)
          }}
          autoCapitalize="none"
          spellCheck={false}
          maxLength={128}
        />
        <Button type="submit" look="primary" className="mt-6.5 h-10" aria-disabled={creation.isPending}>
          {creation.isPending ? t("tokens.creating") : t("runners.create")}
        </Button>
      </form>
      {creation.error && <Note tone="danger" className="mt-3">{creation.error.message}</Note>}
    </>
  )
}
