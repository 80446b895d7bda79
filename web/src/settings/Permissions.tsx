import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"

import { setToolRule } from "../api/calls"
import type { Rule, ToolRule } from "../api/types"
import { toolRulesQuery } from "../app/queries"
import { useT } from "../i18n"
import { cx } from "../lib/cx"
import { Note } from "../ui/Note"

const rules: Rule[] = ["allow", "ask", "deny"]

/** For each tool: whether it runs, asks first, or never runs. */
export function Permissions() {
  const t = useT()
  const { data, error } = useQuery(toolRulesQuery)
  return (
    <>
      <p className="text-ink-2">{t("permissions.lead")}</p>
      {error && <Note tone="danger" className="mt-4">{error.message}</Note>}
      <ul className="mt-3 divide-y divide-line">
        {data?.map((tool) => (
          <li key={tool.name}>
            <Row tool={tool} />
          </li>
        ))}
      </ul>
    </>
  )
}

function Row({ tool }: { tool: ToolRule }) {
  const t = useT()
  const client = useQueryClient()
  const { mutate, isPending, variables, error } = useMutation({
    mutationFn: (rule: Rule) => setToolRule(tool.name, rule),
    onSuccess: (changed) =>
      client.setQueryData(toolRulesQuery.queryKey, (list) => list?.map((entry) => (entry.name === changed.name ? changed : entry))),
  })
  const chosen = isPending ? variables : tool.rule
  return (
    <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
      <legend className="sr-only">{tool.name}</legend>
      <span aria-hidden className="min-w-40 flex-1">
        <span className="block font-medium">{tool.name}</span>
        <span className="block text-small text-ink-3">{tool.summary}</span>
      </span>
      <span className="flex shrink-0 rounded-md bg-hover p-0.5">
        {rules.map((rule) => (
          <label
            key={rule}
            className={cx(
              "cursor-pointer rounded-sm px-2.5 py-1 text-small has-focus-visible:outline-2 has-focus-visible:outline-accent",
              chosen === rule ? looks[rule] : "text-ink-2 hover:text-ink",
            )}
          >
            <input type="radio" name={`rule-${tool.name}`} className="sr-only" checked={chosen === rule} onChange={() => mutate(rule)} />
            {t(`permissions.${rule}`)}
          </label>
        ))}
      </span>
      {error && <Note tone="danger" className="w-full text-small">{error.message}</Note>}
    </fieldset>
  )
}

const looks: Record<Rule, string> = {
  allow: "bg-canvas font-medium text-accent shadow-field",
  ask: "bg-canvas font-medium text-warn shadow-field",
  deny: "bg-canvas font-medium text-danger shadow-field",
}
