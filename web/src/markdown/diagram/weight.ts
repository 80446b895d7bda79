// Estimates the work of a diagram before it is drawn. Not every browser runs the frame in a separate process (frame.ts), so sources in which a few
// characters cause much work are refused.

/** Longer sources are shown as code, in characters. */
export const LONGEST = 20_000

const MOST_STATEMENTS = 600
const DEEPEST = 20
/** Limit of the sum of repeat counts in a source. */
const MOST_REPEATS = 1000
const MOST_BITS = 4096
/** Days of a Gantt chart that excludes days, since Mermaid checks each day of each task. */
const MOST_DAYS = 200_000

/** Whether drawing a diagram would take long. */
export function isHeavy(source: string): boolean {
  if (source.length > LONGEST) return true
  const settings = [...(/^\s*---\n[^]*?\n[ \t]*---/.exec(source) ?? []), ...(source.match(/%%\{[^]*?(?:\}%%|$)/g) ?? [])]
  if (settings.some(isHeavySettings)) return true
  const body = settings.reduce((rest, part) => rest.replace(part, ""), source).replace(/"[^"\n]*"/g, "")
  if ((body.match(/[\n;]/g)?.length ?? 0) > MOST_STATEMENTS || isDeep(body)) return true
  const kind = /^\s*(?:%%[^\n]*\n\s*)*([a-z]+)/i.exec(body)?.[1]?.toLowerCase() ?? ""
  return kinds[kind]?.(body) ?? false
}

/** Settings have small numbers and colours only, and no anchors, which repeat what they name. */
const isHeavySettings = (text: string): boolean => /\d{5}|\d[eExX_]\+?[\da-fA-F]|[\s,[{:][&*]\w/.test(text.replace(/#[\da-f]{3,8}\b/gi, ""))

/** Whether blocks are nested more deeply than people write. */
function isDeep(body: string): boolean {
  let depth = 0
  for (const [mark] of body.matchAll(/\bsubgraph\b|\bblock(?=[:\s])|\bend\b|[{}]|\b(?:loop|alt|opt|par|critical|rect|box|break)\b/g)) {
    depth = Math.max(0, depth + (mark === "end" || mark === "}" ? -1 : 1))
    if (depth > DEEPEST) return true
  }
  return false
}

const numbers = (body: string, of: RegExp): number[] => [...body.matchAll(of)].map(([, digits]) => Number(digits))
const sum = (all: number[]): number => all.reduce((total, one) => total + one, 0)

/** Checks for kinds of diagrams in which numbers are repeat counts. */
const kinds: Record<string, (body: string) => boolean> = {
  block: (body) => sum(numbers(body, /(?::\s*|\bcolumns\s+)(\d+)/g)) > MOST_REPEATS,
  packet: (body) => Math.max(0, ...numbers(body, /(\d+)/g)) > MOST_BITS || sum(numbers(body, /\+(\d+)/g)) > MOST_BITS,
  radar: (body) => sum(numbers(body, /\bticks\s+(\d+)/g)) > MOST_REPEATS,
  gantt: isHeavyGantt,
}

const DAYS: Record<string, number> = { y: 366, M: 31, w: 7, d: 1 }

function isHeavyGantt(body: string): boolean {
  const years = numbers(body, /\b(\d{4,})(?=[-/.])/g)
  const lasts = sum([...body.matchAll(/(\d+)([yMwd])\b/g)].map(([, count, unit = "d"]) => Number(count) * (DAYS[unit] ?? 1)))
  if (years.some((year) => year > 9999) || lasts > MOST_DAYS) return true
  if (!/\b(?:excludes|includes|weekend)\b/.test(body) || years.length === 0) return false
  const tasks = body.match(/:/g)?.length ?? 0
  return (Math.max(...years) - Math.min(...years)) * 366 * tasks + lasts > MOST_DAYS
}
