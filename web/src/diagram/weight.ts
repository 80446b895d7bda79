// What a diagram weighs before it is drawn. Not every browser runs the frame that draws in a process of its own (frame.ts), so sources
// are refused in which a few characters make much work.

/** Longer sources stay code, in characters. */
export const LONGEST = 20_000

const MOST_STATEMENTS = 600
const DEEPEST = 20
/** By how much the numbers of a source may multiply what is drawn. */
const MOST_REPEATS = 1000
const MOST_BITS = 4096
/** Days that a Gantt chart which leaves out some looks at, one by one, for all its tasks. */
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

/** Settings hold small numbers and colours. Anchors repeat what they stand for. */
const isHeavySettings = (text: string): boolean => /\d{5}|\d[eExX_]\+?[\da-fA-F]|[\s,[{:][&*]\w/.test(text.replace(/#[\da-f]{3,8}\b/gi, ""))

/** Whether parts stand in parts, and those in others, more often than people write. */
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

/** What numbers mean in the kinds of diagrams where they say how much there is. */
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
