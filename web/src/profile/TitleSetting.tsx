import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"

import { asProblem } from "../api/problem"
import { readTitles, setTitles } from "../api/titles"
import { useTable } from "../i18n/table"
import { titlesWords } from "../i18n/titles"
import { CheckField } from "../ui/CheckField"
import { Section } from "../ui/Section"
import { toast } from "../ui/toasts"

/** Whether a model names the person's conversations. */
export default function TitleSetting() {
  const say = useTable(titlesWords)
  const client = useQueryClient()
  const titles = useQuery({ queryKey: ["titles"], queryFn: readTitles, retry: false })
  const change = useMutation({
    mutationFn: setTitles,
    onSuccess: (stands) => client.setQueryData(["titles"], stands),
    onError: (error: unknown) => toast(asProblem(error).message),
  })
  if (!titles.data) return null
  const model = change.isPending ? change.variables.model : titles.data.model
  return (
    <Section title={say("title")}>
      <CheckField label={say("model")} checked={model} onChange={(wanted) => change.mutate({ model: wanted })} />
      <p className="mt-2 text-small text-ink-3">{say("lead")}</p>
    </Section>
  )
}
