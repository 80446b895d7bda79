import { useQuery } from "@tanstack/react-query"
import { useState } from "react"

import { readTable } from "../../../api/files"
import { useTable } from "../../../i18n/table"
import { Note } from "../../../ui/Note"
import { Select } from "../../../ui/Select"
import { useConversationContext } from "../../shared/context"
import { nameOf } from "../kinds"
import { words } from "./words"

/** The beginning of a table. */
export default function TableView({ path }: { path: string }) {
  const say = useTable(words)
  const { sessionKey } = useConversationContext()
  const [sheet, setSheet] = useState<string>()
  const { data, error } = useQuery({ queryKey: ["file-table", sessionKey, path, sheet], queryFn: () => readTable(sessionKey, path, sheet), staleTime: 0, retry: false })
  if (error) return <Note tone="plain">{error.message}</Note>
  if (!data) return null
  const [head = [], ...rows] = data.rows
  return (
    <div className="flex h-full w-full flex-col gap-2">
      {data.sheets.length > 1 && (
        <Select label={say("sheet")} value={data.sheet ?? ""} options={data.sheets} say={(name) => name} onChange={setSheet} />
      )}
      {data.truncated && <p className="text-small text-ink-3">{say("truncated")}</p>}
      <div className="min-h-0 flex-1 overflow-auto rounded-md border border-line" tabIndex={0} role="region" aria-label={nameOf(path)}>
        <table className="text-small tabular-nums">
          <thead className="sticky top-0 bg-raised">
            <tr>
              {head.map((cell, n) => (
                <th key={n} scope="col" className="border-b border-line px-2 py-1 text-left font-medium whitespace-nowrap">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, n) => (
              <tr key={n} className="odd:bg-sunken">
                {row.map((cell, at) => (
                  <td key={at} className="max-w-80 truncate px-2 py-1">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
