import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type SubmitEvent, useState } from "react"

import { type Rule, setRule, type ToolPermission } from "../api/permissions"
import { permissionWords } from "../i18n/permissions"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Field } from "../ui/Field"
import { Note } from "../ui/Note"
import { Select } from "../ui/Select"
import { permissionsQuery } from "./queries"

const rules: Rule[] = ["allow", "ask", "deny"]

/** A form for a rule that means some calls of a tool. */
export function NewRule({ tools }: { tools: ToolPermission[] }) {
  const say = useTable(permissionWords)
  const client = useQueryClient()
  const kinds = new Map(tools.flatMap(({ name, pattern }) => (pattern ? [[name, pattern]] : [])))
  const names = [...kinds.keys()]
  const [chosen, setTool] = useState("Shell")
  const tool = kinds.has(chosen) ? chosen : (names[0] ?? "")
  const kind = kinds.get(tool) ?? "command"
  const [pattern, setPattern] = useState("")
  const [rule, setChosenRule] = useState<Rule>("allow")
  const { mutate, error, isPending } = useMutation({
    mutationFn: setRule,
    onSuccess: async () => {
      setPattern("")
      await client.invalidateQueries(permissionsQuery)
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!isPending) mutate({ tool, pattern: pattern.trim(), rule })
  }
  if (names.length === 0) return null
  return (
    <>
      <form className="mt-2 flex flex-wrap items-end gap-2" onSubmit={submit}>
        <Select label={say("tool")} value={tool} options={names} say={(name) => name} onChange={setTool} />
        <Field
          className="min-w-40 flex-1"
          label={say(kind)}
          placeholder={say(`${kind}_hint`)}
          value={pattern}
          required
          maxLength={500}
          autoCapitalize="off"
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setPattern(target.value)}
        />
        <Select label={say("rule")} value={rule} options={rules} say={say} onChange={setChosenRule} />
        <Button type="submit" className="h-10" aria-disabled={isPending}>
          {say("add")}
        </Button>
      </form>
      {error && <Note tone="danger" className="mt-3">{error.message}</Note>}
    </>
  )
}
