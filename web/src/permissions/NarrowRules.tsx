import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Trash2 } from "lucide-react"

import { type Permissions, removeRule, type ToolRule } from "../api/permissions"
import { permissionWords } from "../i18n/permissions"
import { useTable } from "../i18n/table"
import { cx } from "../lib/cx"
import { IconButton } from "../ui/IconButton"
import { Note } from "../ui/Note"
import { Section } from "../ui/Section"
import { NewRule } from "./NewRule"
import { permissionsQuery } from "./queries"

/** The rules for calls that begin, touch or reach something, and a form for another one. */
export function NarrowRules({ permissions: { rules, tools } }: { permissions: Permissions }) {
  const say = useTable(permissionWords)
  return (
    <Section title={say("narrow")}>
      <p className="text-small text-ink-3">{say("narrowHint")}</p>
      {rules.length === 0 && <p className="py-2 text-ink-2">{say("noNarrow")}</p>}
      <ul className="divide-y divide-line">
        {rules.map((rule) => (
          <Row key={`${rule.tool} ${rule.pattern}`} rule={rule} />
        ))}
      </ul>
      <NewRule tools={tools} />
    </Section>
  )
}

function Row({ rule }: { rule: ToolRule }) {
  const say = useTable(permissionWords)
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({ mutationFn: () => removeRule(rule), onSuccess: () => client.invalidateQueries(permissionsQuery) })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <span className={cx("w-16 shrink-0 text-small font-medium", looks[rule.rule])}>{say(rule.rule)}</span>
      <span className="min-w-0 flex-1 break-words">
        <span className="text-ink-2">{rule.tool}</span> <code className="font-mono text-small">{rule.pattern}</code>
      </span>
      <IconButton small label={say("remove", { what: `${rule.tool} ${rule.pattern}` })} disabled={isPending} onClick={() => mutate()}>
        <Trash2 size={15} aria-hidden />
      </IconButton>
      {error && <Note tone="danger" className="w-full text-small">{error.message}</Note>}
    </li>
  )
}

const looks = { allow: "text-accent", ask: "text-warn", deny: "text-danger" }
