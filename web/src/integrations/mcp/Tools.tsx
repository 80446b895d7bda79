import { useQuery } from "@tanstack/react-query"

import type { McpServer } from "../../api/mcp"
import { mcpWords } from "../../i18n/mcp"
import { useTable } from "../../i18n/table"
import { cx } from "../../lib/cx"
import { Pending } from "../../ui/Pending"
import { mcpToolsQuery } from "./queries"

const looks = { read: "bg-canvas text-ink-2", idempotent: "bg-canvas text-ink-2", once: "bg-warn-soft text-warn" }

/** The tools that a server listed last, by the names that the model calls, with what the server says of their effects. */
export function Tools({ server: { name, shared, listed_at, left_out } }: { server: McpServer }) {
  const say = useTable(mcpWords)
  const { data, error } = useQuery(mcpToolsQuery(name, shared, listed_at ?? ""))
  if (!data) return <Pending error={error} />
  return (
    <div className="space-y-2 rounded-md bg-sunken px-3 py-2 text-small">
      {data.length === 0 && <p className="text-ink-2">{say("noTools")}</p>}
      <ul aria-label={say("showToolsLabel", { name })} className="space-y-2">
        {data.map((tool) => (
          <li key={tool.name} aria-label={tool.name}>
            <span className="font-mono break-all">{tool.name}</span>{" "}
            <span className={cx("rounded-sm px-1.5 py-0.5", looks[tool.class])} title={say(`${tool.class}Hint`)}>{say(tool.class)}</span>
            <p className="break-words text-ink-2">{tool.description}</p>
          </li>
        ))}
      </ul>
      {left_out?.map((what) => (
        <p key={what} className="break-words text-ink-3">{say("leftOut", { what })}</p>
      ))}
    </div>
  )
}
