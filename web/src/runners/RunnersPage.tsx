import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"

import { chooseModelSource, chooseRunner } from "../api/calls"
import { runnersQuery } from "../api/queries"
import type { RunnerList } from "../api/types"
import { useT } from "../i18n"
import { Note } from "../ui/Note"
import { NewRunner } from "./NewRunner"
import { RunnerRow } from "./RunnerRow"
import { RunnerToken, type ShownToken } from "./RunnerToken"

/** Where the person's commands can run, and which of these places they go to. */
export default function RunnersPage() {
  const t = useT()
  const client = useQueryClient()
  const { data, error } = useQuery(runnersQuery)
  const [token, setToken] = useState<ShownToken>()
  const choice = useMutation({ mutationFn: chooseRunner, onSuccess: (list) => client.setQueryData(runnersQuery.queryKey, list) })
  const active = choice.isPending ? choice.variables : data?.active // what was just chosen is shown at once
  return (
    <>
      <p className="text-ink-2">{t("runners.lead")}</p>
      {error && !data && <Note tone="danger" className="mt-4">{error.message}</Note>}
      {data && (
        <fieldset className="mt-3">
          <legend className="sr-only">{t("runners.choose")}</legend>
          <ul className="divide-y divide-line">
            <li className="flex gap-3 py-3">
              <Choice id="runner-default" checked={active === ""} onChoose={() => choice.mutate("")} />
              <label htmlFor="runner-default" className="min-w-0 flex-1">
                <span className="font-medium">{t("runners.default")}</span>
                <span className="block text-small text-ink-3">
                  {data.effective ? t("runners.defaultIs", { name: data.effective }) : t("runners.defaultNone")}
                </span>
              </label>
            </li>
            {data.runners.map((runner) => (
              <li key={runner.name} className="flex gap-3 py-3">
                <Choice id={`runner-${runner.name}`} checked={active === runner.name} onChoose={() => choice.mutate(runner.name)} />
                <RunnerRow runner={runner} inUse={data.effective === runner.name} onToken={setToken} />
              </li>
            ))}
          </ul>
        </fieldset>
      )}
      {data && <ModelSource list={data} />}
      {choice.error && <Note tone="danger" className="mt-3">{choice.error.message}</Note>}
      <NewRunner onToken={setToken} />
      {token && <RunnerToken shown={token} />}
    </>
  )
}

/** Whose model answers, once there is a choice: a runner brings one, or would if it were asked. */
function ModelSource({ list }: { list: RunnerList }) {
  const t = useT()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: chooseModelSource,
    onSuccess: (changed) => client.setQueryData(runnersQuery.queryKey, changed),
  })
  if (list.llm_source === "auto" && !list.runners.some((runner) => runner.llm)) return null
  return (
    <div className="mt-1 flex gap-3 border-t border-line pt-3">
      <input
        type="checkbox"
        id="runner-model"
        checked={list.llm_source === "auto"}
        disabled={isPending}
        onChange={(event) => mutate(event.target.checked ? "auto" : "server")}
        className="mt-0.5 size-4 shrink-0 accent-(--accent)"
      />
      <label htmlFor="runner-model" className="min-w-0 flex-1">
        {t("runners.ownModel")}
        <span className="block text-small text-ink-3">{t("runners.modelNow", { model: list.model })}</span>
        {error && <span className="block text-small text-danger">{error.message}</span>}
      </label>
    </div>
  )
}

function Choice({ id, checked, onChoose }: { id: string; checked: boolean; onChoose: () => void }) {
  return <input type="radio" name="runner" id={id} checked={checked} onChange={onChoose} className="mt-0.5 size-4 shrink-0 accent-(--accent)" />
}
