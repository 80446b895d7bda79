import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Tabs } from "radix-ui"
import { type ReactNode, useState } from "react"

import { readUsage } from "../api/context"
import type { UsageReport, UsageRow } from "../api/types"
import { type Translate, useLanguage, useT } from "../i18n"
import { count, day as dayOf, money, tokens } from "../i18n/format"
import { Note } from "../ui/Note"
import { byDay, byModel, bySession, mediaByModel, type Named, tokensOf } from "./rows"
import { UsageBar, UsageLegend } from "./UsageBar"

const ranges = [7, 30, 90]

const tab = "-mb-px h-9 border-b-2 border-transparent px-1 font-medium text-ink-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"

/** What the person's conversations have used, by day, model and conversation. */
export default function UsageView({ onLeave }: { onLeave?: () => void }) {
  const t = useT()
  const [days, setDays] = useState(30)
  const { data, error } = useQuery({ queryKey: ["usage", days], queryFn: () => readUsage(days), placeholderData: keepPreviousData })
  return (
    <>
      <Range days={days} onChoose={setDays} />
      {error && <Note tone="danger" className="mt-3">{error.message}</Note>}
      {data && tokensOf(data.total) === 0 && data.media.length === 0 && <p className="mt-4 text-ink-2">{t("usage.none")}</p>}
      {data && tokensOf(data.total) > 0 && <Report report={data} onLeave={onLeave} />}
      {data && data.media.length > 0 && <Media report={data} />}
      {!data && !error && <p className="mt-4 text-ink-3">{t("app.loading")}</p>}
    </>
  )
}

function Range({ days, onChoose }: { days: number; onChoose: (days: number) => void }) {
  const t = useT()
  return (
    <fieldset className="flex flex-wrap gap-1 text-small">
      <legend className="sr-only">{t("usage.range")}</legend>
      {ranges.map((n) => (
        <label key={n} className="cursor-pointer rounded-md px-2.5 py-1 text-ink-2 hover:bg-hover has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent">
          <input type="radio" name="usage-range" className="sr-only" checked={n === days} onChange={() => onChoose(n)} />
          {t("usage.days", { n })}
        </label>
      ))}
    </fieldset>
  )
}

function Report({ report, onLeave }: { report: UsageReport; onLeave?: () => void }) {
  const t = useT()
  const language = useLanguage()
  const { total, currency } = report
  const partly = total.cost !== undefined && report.days.some((row) => row.cost === undefined)
  return (
    <>
      <p className="mt-4 tabular-nums">
        <span className="text-title font-semibold">{tokens(language, tokensOf(total))}</span> {t("usage.tokens", { n: "" }).trim()}
        <span className="text-ink-2"> · {t("usage.calls", { count: total.calls })}</span>
        {total.cost !== undefined && <span className="text-ink-2"> · {money(language, currency, total.cost)}</span>}
      </p>
      <UsageLegend />
      {partly && <p className="mt-1 text-small text-ink-3">{t("usage.noPrice")}</p>}
      <Tabs.Root defaultValue="days" className="mt-4">
        <Tabs.List aria-label={t("usage.title")} className="flex gap-5 border-b border-line">
          <Tabs.Trigger value="days" className={tab}>{t("usage.byDay")}</Tabs.Trigger>
          <Tabs.Trigger value="models" className={tab}>{t("usage.byModel")}</Tabs.Trigger>
          <Tabs.Trigger value="sessions" className={tab}>{t("usage.bySession")}</Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="days" className="pt-4 outline-offset-4">
          <Rows rows={byDay(report)} currency={currency} name={({ name }) => dayOf(language, name)} />
        </Tabs.Content>
        <Tabs.Content value="models" className="pt-4 outline-offset-4">
          <Rows rows={byModel(report)} currency={currency} name={({ name }) => name} />
        </Tabs.Content>
        <Tabs.Content value="sessions" className="pt-4 outline-offset-4">
          <Rows rows={bySession(report)} currency={currency} name={(row) => sessionName(row, t, onLeave)} />
        </Tabs.Content>
      </Tabs.Root>
    </>
  )
}

/** Pictures, sound and video, by model. */
function Media({ report }: { report: UsageReport }) {
  const t = useT()
  const language = useLanguage()
  return (
    <section aria-label={t("usage.media")} className="mt-6">
      <h3 className="font-medium">{t("usage.media")}</h3>
      <ul className="mt-2 space-y-2 text-small">
        {mediaByModel(report).map(({ kind, model, units, cost }) => (
          <li key={`${kind} ${model}`} className="flex items-baseline justify-between gap-4 tabular-nums">
            <span className="min-w-0 truncate">{model}</span>
            <span className="shrink-0 text-ink-2">
              {t(`usage.${kind}`, { n: count(language, units) })}
              {cost !== undefined && ` · ${money(language, report.currency, cost)}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function sessionName({ name: key, title, deleted }: Named & { title: string; deleted?: boolean }, t: Translate, onLeave?: () => void): ReactNode {
  if (deleted) return t("usage.deleted")
  return (
    <Link to="/c/$key" params={{ key }} onClick={onLeave} className="underline decoration-line-strong underline-offset-3 hover:decoration-current">
      {title || t("session.untitled")}
    </Link>
  )
}

interface RowsProps<T> {
  rows: T[]
  currency: string
  name: (row: T) => ReactNode
}

/** Rows with a bar each, on one scale. */
function Rows<T extends Named & UsageRow>({ rows, currency, name }: RowsProps<T>) {
  const t = useT()
  const language = useLanguage()
  const most = Math.max(1, ...rows.map(tokensOf))
  return (
    <ul className="space-y-3 text-small">
      {rows.map((row) => (
        <li key={row.name}>
          <div className="flex items-baseline justify-between gap-4 tabular-nums">
            <span className="min-w-0 truncate">{name(row)}</span>
            <span className="shrink-0 text-ink-2">
              {t("usage.tokens", { n: tokens(language, tokensOf(row)) })}
              {row.cost !== undefined && ` · ${money(language, currency, row.cost)}`}
            </span>
          </div>
          <UsageBar row={row} most={most} />
        </li>
      ))}
    </ul>
  )
}
