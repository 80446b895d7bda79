import { useQuery } from "@tanstack/react-query"
import { useId } from "react"

import { agentsQuery } from "../../api/queries"
import { useT } from "../../i18n"
import { cx } from "../../lib/cx"

/** Who is to answer in a new conversation. Nothing where there is one agent. */
export function AgentChoice({ agent, onChoose }: { agent: string | undefined; onChoose: (id: string) => void }) {
  const t = useT()
  const group = useId()
  const { data = [] } = useQuery(agentsQuery)
  if (data.length < 2) return null
  const chosen = agent ?? data.find((candidate) => candidate.default)?.id
  return (
    <fieldset className="mb-3 flex flex-wrap gap-1.5 px-1">
      <legend className="sr-only">{t("choice.agent")}</legend>
      {data.map(({ id, name }) => (
        <label
          key={id}
          className={cx(
            "cursor-pointer rounded-lg border px-3 py-1 text-small has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent",
            chosen === id ? "border-accent bg-accent-soft font-medium text-accent" : "border-line-strong text-ink-2 hover:text-ink",
          )}
        >
          <input type="radio" name={group} className="sr-only" checked={chosen === id} onChange={() => onChoose(id)} />
          {name || id}
        </label>
      ))}
    </fieldset>
  )
}
