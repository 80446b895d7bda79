import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query"
import { useState } from "react"

import { readServiceUsage, readServiceUsageFile, type UsageRow } from "../api/services"
import { useLanguage, useT } from "../i18n"
import { count, day, duration, money, tokens } from "../i18n/format"
import { trackWords } from "../i18n/servicetrack"
import { useTable } from "../i18n/table"
import { Button } from "../ui/Button"
import { Choice } from "../ui/Choice"
import { Note } from "../ui/Note"
import { Pending } from "../ui/Pending"
import { UsageBar, UsageLegend } from "../usage/UsageBar"

const ranges = ["7", "30", "90", "365"]

/** What the consumers of a service used, by day or by key. */
export default function Usage({ id }: { id: string }) {
  const t = useT()
  const say = useTable(trackWords)
  const [days, setDays] = useState("30")
  const [group, setGroup] = useState<"day" | "key">("day")
  const { data, error } = useQuery({ queryKey: ["services", id, "usage", days, group], queryFn: () => readServiceUsage(id, Number(days), group), placeholderData: keepPreviousData })
  const saving = useMutation({ mutationFn: async () => save(await readServiceUsageFile(id, Number(days), group), `usage-${id}.csv`) })
  if (!data) return <Pending error={error} />
  const rows = group === "day" ? [...data.rows].reverse() : data.rows
  const most = Math.max(1, ...rows.map((row) => row.prompt_tokens + row.completion_tokens))
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-end gap-3">
        <Choice label={say("days")} value={days} options={ranges.map((value) => ({ value, text: t("usage.days", { n: Number(value) }) }))} onValue={setDays} />
        <Choice label={say("by")} value={group} options={[{ value: "day", text: say("byDay") }, { value: "key", text: say("byKey") }]} onValue={(value) => setGroup(value === "key" ? "key" : "day")} />
        <Button disabled={saving.isPending} onClick={() => saving.mutate()}>{say("csv")}</Button>
      </div>
      {saving.error && <Note tone="danger">{saving.error.message}</Note>}
      {rows.length === 0 ? <p className="text-ink-2">{say("none")}</p> : (
        <>
          <UsageLegend />
          <ul aria-label={say("usage")} className="space-y-4 text-small">
            <Row row={data.total} name={say("total")} currency={data.currency} />
            {rows.map((row) => (
              <Row key={row.day ?? row.key} row={row} currency={data.currency} most={most} />
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

function Row({ row, name, currency, most }: { row: UsageRow; name?: string; currency: string; most?: number }) {
  const t = useT()
  const say = useTable(trackWords)
  const language = useLanguage()
  const called = name ?? (row.day ? day(language, row.day) : [row.key_name, row.key].filter(Boolean).join(" · "))
  const facts = [say("requests", { count: count(language, row.requests) })]
  if (row.errors > 0) facts.push(say("errors", { count: count(language, row.errors) }))
  if (row.requests > 0) facts.push(say("latency", { p50: duration(t, row.p50_ms), p95: duration(t, row.p95_ms), max: duration(t, row.max_ms) }))
  const made = ([["image", row.pictures], ["speech", row.speech_characters], ["video", row.video_seconds]] as const).filter(([, n]) => n > 0)
  facts.push(...made.map(([kind, n]) => t(`usage.${kind}`, { n: count(language, n) })))
  if (row.media_cost !== undefined) facts.push(money(language, currency, row.media_cost))
  return (
    <li aria-label={called}>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 tabular-nums">
        <span className="min-w-0 font-medium break-words">{called}</span>
        <span className="text-ink-2">
          {say("tokens", { n: tokens(language, row.prompt_tokens + row.completion_tokens) })}
          {row.cost !== undefined && ` · ${money(language, currency, row.cost)}`}
        </span>
      </div>
      <p className="text-ink-3">{facts.join(" · ")}</p>
      {most !== undefined && <UsageBar row={row} most={most} />}
    </li>
  )
}

/** Has the browser save a file. */
function save(file: Blob, name: string) {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
