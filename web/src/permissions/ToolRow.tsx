import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Undo2 } from "lucide-react"

import { removeRule, type Rule, setRule, type ToolPermission } from "../api/permissions"
import { useT } from "../i18n"
import { permissionWords } from "../i18n/permissions"
import { useTable } from "../i18n/table"
import { cx } from "../lib/cx"
import { IconButton } from "../ui/IconButton"
import { Note } from "../ui/Note"
import { usePressed } from "../ui/usePressed"
import { permissionsQuery } from "./queries"

const rules: Rule[] = ["allow", "ask", "deny"]

/** For a tool: whether it runs, asks first, or never runs. */
export function ToolRow({ tool }: { tool: ToolPermission }) {
  const t = useT()
  const say = useTable(permissionWords)
  const client = useQueryClient()
  const { mutate, isPending, variables, error } = useMutation({
    scope: { id: `rule for ${tool.name}` }, // one after the other
    mutationFn: (rule: Rule | undefined) => (rule ? setRule({ tool: tool.name, rule }) : removeRule({ tool: tool.name })),
    onSuccess: () => client.invalidateQueries(permissionsQuery),
  })
  const [marked, press] = usePressed(isPending ? (variables ?? tool.rule) : tool.rule, mutate)
  return (
    <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
      <legend className="sr-only">{tool.name}</legend>
      <span aria-hidden className="min-w-40 flex-1">
        <span className="block font-medium">{tool.name}</span>
        <span className="block text-small text-ink-3">{tool.summary}</span>
      </span>
      {tool.own && (
        <IconButton small label={say("again", { tool: tool.name })} disabled={isPending} onClick={() => mutate(undefined)}>
          <Undo2 size={15} aria-hidden />
        </IconButton>
      )}
      <span className="flex shrink-0 rounded-md bg-hover p-0.5">
        {rules.map((rule) => (
          <label
            key={rule}
            className={cx(
              "cursor-pointer rounded-sm px-2.5 py-1 text-small has-focus-visible:outline-2 has-focus-visible:outline-accent",
              marked === rule ? looks[rule] : "text-ink-2 hover:text-ink",
            )}
          >
            <input type="radio" name={`rule-${tool.name}`} className="sr-only" checked={marked === rule} onChange={() => press(rule)} />
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
