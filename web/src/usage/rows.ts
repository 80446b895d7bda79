import type { MediaDay, UsageReport, UsageRow, UsageSession } from "../api/types"

export interface Named {
  name: string
}

/** All tokens of a row; cached ones are a part of the prompt's. */
export const tokensOf = (row: UsageRow): number => row.prompt_tokens + row.completion_tokens

/** Usage by day, the newest first. */
export const byDay = ({ days }: UsageReport) => sums(days, ({ day }) => day).sort((a, b) => b.name.localeCompare(a.name))

/** Usage by model, the most used first. */
export const byModel = ({ days }: UsageReport) => sums(days, ({ model }) => model).sort((a, b) => tokensOf(b) - tokensOf(a))

/** Usage by conversation, the most used first; one that is gone has no title to go to. */
export function bySession({ sessions }: UsageReport): (Named & UsageRow & Pick<UsageSession, "title" | "deleted">)[] {
  const known = new Map(sessions.map((session) => [session.key, session]))
  const rows = sums(sessions, ({ key }) => key).sort((a, b) => tokensOf(b) - tokensOf(a))
  return rows.map((row) => ({ ...row, title: known.get(row.name)?.title ?? "", deleted: known.get(row.name)?.deleted }))
}

/** Pictures, sound and video by kind and model, the dearest first. */
export function mediaByModel({ media }: UsageReport): MediaRow[] {
  const found = new Map<string, MediaRow>()
  for (const { kind, model, calls, units, cost } of media) {
    const name = `${kind} ${model}`
    const sum = found.get(name)
    if (sum) found.set(name, { ...sum, calls: sum.calls + calls, units: sum.units + units, cost: cost === undefined ? sum.cost : (sum.cost ?? 0) + cost })
    else found.set(name, { kind, model, calls, units, cost })
  }
  return [...found.values()].sort((a, b) => (b.cost ?? 0) - (a.cost ?? 0))
}

export type MediaRow = Omit<MediaDay, "day">

/** Sums up the rows of one name. A sum has no cost when one of its rows has none. */
function sums<T extends UsageRow>(rows: T[], nameOf: (row: T) => string): (Named & UsageRow)[] {
  const found = new Map<string, Named & UsageRow>()
  for (const row of rows) {
    const name = nameOf(row)
    const sum = found.get(name)
    found.set(name, sum ? add(sum, row) : { ...add(nothing, row), name })
  }
  return [...found.values()]
}

const nothing: Named & UsageRow = { name: "", calls: 0, prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0, cost: 0 }

function add(a: Named & UsageRow, b: UsageRow): Named & UsageRow {
  return {
    name: a.name,
    calls: a.calls + b.calls,
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    cached_tokens: a.cached_tokens + b.cached_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    cost: a.cost === undefined || b.cost === undefined ? undefined : a.cost + b.cost,
  }
}
