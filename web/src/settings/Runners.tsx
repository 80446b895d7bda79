import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"

import { chooseRunner } from "../api/coming"
import { runnersQuery } from "../app/queries"
import { useT } from "../i18n"
import { Note } from "../ui/Note"
import { NewRunner } from "./NewRunner"
import { RunnerRow } from "./RunnerRow"
import { RunnerToken, type ShownToken } from "./RunnerToken"

/** Where the person's commands can run, and which of these places they go to. */
export function Runners() {
  const t = useT()
  const client = useQueryClient()
  const { data, error } = useQuery(runnersQuery)
  const [token, setToken] = useState<ShownToken>()
  const choice = useMutation({ mutationFn: chooseRunner, onSuccess: (list) => client.setQueryData(runnersQuery.queryKey, list) })
  return (
    <>
      <p className="text-ink-2">{t("runners.lead")}</p>
      {error && !data && <Note tone="danger" className="mt-4">{error.message}</Note>}
      {data && (
        <fieldset className="mt-3" disabled={choice.isPending}>
          <legend className="sr-only">{t("runners.choose")}</legend>
          <ul className="divide-y divide-line">
            <li className="flex gap-3 py-3">
              <Choice id="runner-default" checked={data.active === ""} onChoose={() => choice.mutate("")} />
              <label htmlFor="runner-default" className="min-w-0 flex-1">
                <span className="font-medium">{t("runners.default")}</span>
                <span className="block text-small text-ink-3">
                  {data.effective ? t("runners.defaultIs", { name: data.effective }) : t("runners.defaultNone")}
                </span>
              </label>
            </li>
            {data.runners.map((runner) => (
              <li key={runner.name} className="flex gap-3 py-3">
                <Choice id={`runner-${runner.name}`} checked={data.active === runner.name} onChoose={() => choice.mutate(runner.name)} />
                <RunnerRow runner={runner} inUse={data.effective === runner.name} onToken={setToken} />
              </li>
            ))}
          </ul>
        </fieldset>
      )}
      {choice.error && <Note tone="danger" className="mt-3">{choice.error.message}</Note>}
      <NewRunner onToken={setToken} />
      {token && <RunnerToken shown={token} />}
    </>
  )
}

function Choice({ id, checked, onChoose }: { id: string; checked: boolean; onChoose: () => void }) {
  return <input type="radio" name="runner" id={id} checked={checked} onChange={onChoose} className="mt-0.5 size-4 shrink-0 accent-(--accent)" />
}
