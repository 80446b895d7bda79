import type { UsageReport, UsageRow } from "../api/types"

export interface Named {
  name: string
}

/** All tokens of a row; cached ones are a part of the prompt's. */
export const tokensOf = (row: UsageRow): number => row.prompt_tokens + row.completion_tokens

/** Usage by day, the newest first. */
export const byDay = (report: UsageReport) => sums(report, ({ day }) => day).sort((a, b) => b.name.localeCompare(a.name))

/** Usage by model, the most used first. */
export const byModel = (report: UsageReport) => sums(report, ({ model }) => model).sort((a, b) => tokensOf(b) - tokensOf(a))

/** Sums up the rows of one name. A sum has no cost when one of its rows has none. */
function sums({ days }: UsageReport, nameOf: (row: UsageReport["days"][number]) => string): (Named & UsageRow)[] {
  const found = new Map<string, Named & UsageRow>()
  for (const row of days ?? []) {
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
    cached_tokens: a.cached_tokens + (b.cached_tokens ?? 0),
    completion_tokens: a.completion_tokens + b.completion_tokens,
    cost: a.cost === undefined || b.cost === undefined ? undefined : a.cost + b.cost,
  }
}
