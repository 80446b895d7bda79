import { readArguments } from "./arguments"

/** The most lines, of one text times of the other, that are compared one by one. */
const MOST = 250_000

/** What was changed in the arguments of a call, as a unified diff with a line for each line of a value. */
export function diffArguments(before: string, after: string): string {
  const lines = compare(linesOf(before), linesOf(after))
  return ["--- before", "+++ after", ...lines].join("\n")
}

/** Arguments by name, each line of a value on one of its own. */
function linesOf(json: string): string[] {
  const list = readArguments(json)
  if (!list) return json.split("\n")
  return list.flatMap(({ name, value }) => (value.includes("\n") ? [`${name}:`, ...value.split("\n").map((line) => `  ${line}`)] : [`${name}: ${value}`]))
}

function compare(before: string[], after: string[]): string[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (end < before.length - start && end < after.length - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  const middle = compareEach(before.slice(start, before.length - end), after.slice(start, after.length - end))
  return [...same(before.slice(0, start)), ...middle, ...same(before.slice(before.length - end))]
}

const same = (lines: string[]) => lines.map((line) => ` ${line}`)

/** The longest lines in common stay; texts too long for that are told one after the other. */
function compareEach(before: string[], after: string[]): string[] {
  const minus = (line: string | undefined) => `-${line}`
  const plus = (line: string | undefined) => `+${line}`
  if (before.length * after.length > MOST) return [...before.map(minus), ...after.map(plus)]
  const common = lengths(before, after)
  const out: string[] = []
  let [n, m] = [0, 0]
  while (n < before.length && m < after.length) {
    if (before[n] === after[m]) {
      out.push(` ${before[n]}`)
      n++
      m++
    } else if ((common[n + 1]?.[m] ?? 0) >= (common[n]?.[m + 1] ?? 0)) out.push(minus(before[n++]))
    else out.push(plus(after[m++]))
  }
  return [...out, ...before.slice(n).map(minus), ...after.slice(m).map(plus)]
}

/** How many lines the ends of two texts have in common, from each pair of lines on. */
function lengths(before: string[], after: string[]): number[][] {
  const common = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0))
  for (let n = before.length - 1; n >= 0; n--) {
    const [row = [], below = []] = [common[n], common[n + 1]]
    for (let m = after.length - 1; m >= 0; m--) {
      row[m] = before[n] === after[m] ? (below[m + 1] ?? 0) + 1 : Math.max(below[m] ?? 0, row[m + 1] ?? 0)
    }
  }
  return common
}
