import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useState } from "react"

import { useAccount } from "../../account/account"
import type { JobFilter, TimelineItem } from "../../api/cron"
import { listServices } from "../../api/services"
import { type Language, useLanguage, useT } from "../../i18n"
import { cronWords } from "../../i18n/cron"
import { trackWords } from "../../i18n/servicetrack"
import { useTable } from "../../i18n/table"
import { cx } from "../../lib/cx"
import { Choice } from "../../ui/Choice"
import { Note } from "../../ui/Note"
import { outcomeOf, timelineQuery } from "./queries"

/** What ran in the last seven days and what comes in the next, day by day. */
export default function Timeline({ zone }: { zone: string }) {
  const t = useT()
  const say = useTable(trackWords)
  const language = useLanguage()
  const { me } = useAccount()
  const admin = me.user.role === "admin"
  const [whose, setWhose] = useState("")
  const { data: services = [] } = useQuery({ queryKey: ["services"], queryFn: listServices, enabled: admin })
  const { data, error } = useQuery({ ...timelineQuery(filterOf(whose, admin)), placeholderData: keepPreviousData })
  const options = [
    { value: "", text: say("all") }, { value: "house", text: say("house") }, { value: "services", text: say("services") },
    ...services.map(({ id, name }) => ({ value: id, text: name })),
  ]
  return (
    <div className="space-y-4">
      {admin && <Choice label={say("whose")} value={whose} options={options} onValue={setWhose} />}
      {error && !data && <Note tone="danger">{error.message}</Note>}
      {!data && !error && <p className="text-small text-ink-3">{t("app.loading")}</p>}
      {data?.items.length === 0 && <p className="text-ink-2">{say("nothing")}</p>}
      {data && days(data.items, language, zone).map(([day, items]) => (
        <section key={day} aria-label={day}>
          <h3 className="text-small font-semibold text-ink-2">{day}</h3>
          <ol className="mt-1 space-y-1 border-l-2 border-line pl-3 text-small">
            {items.map((item) => (
              <Item key={`${item.job} ${item.run?.id ?? item.at}`} item={item} zone={zone} />
            ))}
          </ol>
        </section>
      ))}
      {data?.more && <p className="text-small text-ink-3">{say("more")}</p>}
    </div>
  )
}

function filterOf(whose: string, admin: boolean): JobFilter {
  if (!admin) return {}
  if (whose === "house") return { all: true, track: "house" }
  if (whose === "services") return { all: true, track: "services" }
  return whose ? { all: true, service: whose } : { all: true }
}

function Item({ item, zone }: { item: TimelineItem; zone: string }) {
  const say = useTable(trackWords)
  const cron = useTable(cronWords)
  const language = useLanguage()
  const bad = item.run && ["failed", "lost", "timeout"].includes(item.run.outcome)
  return (
    <li className="flex flex-wrap items-baseline gap-x-2">
      <span aria-hidden className={cx("size-2 shrink-0 rounded-full", !item.run ? "border border-line-strong" : bad ? "bg-danger" : "bg-accent")} />
      <time dateTime={item.at} className="tabular-nums">{clock(language, item.at, zone)}</time>
      <span className="min-w-0 break-words">{item.name}</span>
      <span className={bad ? "text-danger" : "text-ink-3"}>{item.run ? outcomeOf(cron, item.run) : say("comes")}</span>
    </li>
  )
}

/** The items of each day, as the clocks of a timezone have it. */
function days(items: TimelineItem[], language: Language, zone: string): [string, TimelineItem[]][] {
  const found = new Map<string, TimelineItem[]>()
  for (const item of items) {
    const day = shown(language, item.at, zone, { weekday: "short", day: "numeric", month: "short" })
    found.set(day, [...(found.get(day) ?? []), item])
  }
  return [...found]
}

const clock = (language: Language, iso: string, zone: string) => shown(language, iso, zone, { hour: "2-digit", minute: "2-digit" })

function shown(language: Language, iso: string, zone: string, options: Intl.DateTimeFormatOptions): string {
  const locale = language === "zh" ? "zh-CN" : "en-GB"
  try {
    return new Date(iso).toLocaleString(locale, { ...options, timeZone: zone })
  } catch {
    return new Date(iso).toLocaleString(locale, options) // a zone that this browser does not know
  }
}
