/** A line of what two texts have in common and where they differ. */
export interface DiffLine {
  kind: "same" | "gone" | "new"
  text: string
}

/** Lines that both texts have and that are not shown. */
export interface Skipped {
  kind: "skipped"
  count: number
}

/** Changed lines beyond which two texts are taken to have nothing in common but their beginning and end. */
const MOST_CHANGES = 1000

/** What is to be taken out of the first text and put into it to get the second, with as few changed lines as can be. */
export const diffOf = (before: string, after: string): DiffLine[] => diffLines(linesOf(before), linesOf(after))

/** The same of two texts as lines. */
export function diffLines(a: string[], b: string[]): DiffLine[] {
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  return [
    ...lines("same", a.slice(0, head)),
    ...changed(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...lines("same", a.slice(a.length - tail)),
  ]
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

const lines = (kind: DiffLine["kind"], texts: string[]): DiffLine[] => texts.map((text) => ({ kind, text }))

/** The shortest way from one list to another (Myers, "An O(ND) Difference Algorithm"): diagonals are lines that stay. */
function changed(a: string[], b: string[]): DiffLine[] {
  const reached: Map<number, number>[] = []
  let furthest = new Map([[1, 0]])
  for (let changes = 0; changes <= Math.min(a.length + b.length, MOST_CHANGES); changes++) {
    reached.push(furthest)
    const next = new Map(furthest)
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = stepDown(furthest, diagonal, changes) ? at(furthest, diagonal + 1) : at(furthest, diagonal - 1) + 1
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++
      next.set(diagonal, x)
      if (x >= a.length && x - diagonal >= b.length) return wayBack(a, b, reached)
    }
    furthest = next
  }
  return [...lines("gone", a), ...lines("new", b)]
}

const at = (furthest: Map<number, number>, diagonal: number): number => furthest.get(diagonal) ?? -1

/** Whether the way to a diagonal goes down (a new line) rather than right (a line gone). */
const stepDown = (furthest: Map<number, number>, diagonal: number, changes: number): boolean =>
  diagonal === -changes || (diagonal !== changes && at(furthest, diagonal - 1) < at(furthest, diagonal + 1))

function wayBack(a: string[], b: string[], reached: Map<number, number>[]): DiffLine[] {
  const way: DiffLine[] = []
  let x = a.length
  let y = b.length
  const stay = (to: number) => {
    while (x > to && y > 0 && a[x - 1] === b[y - 1]) {
      way.push({ kind: "same", text: a[--x] ?? "" })
      y--
    }
  }
  for (let changes = reached.length - 1; changes > 0; changes--) {
    const furthest = reached[changes] ?? new Map<number, number>()
    const down = stepDown(furthest, x - y, changes)
    const from = at(furthest, x - y + (down ? 1 : -1))
    stay(down ? from : from + 1)
    way.push(down ? { kind: "new", text: b[--y] ?? "" } : { kind: "gone", text: a[--x] ?? "" })
  }
  stay(0)
  return way.reverse()
}

/** Leaves out what stays the same, but for some lines around what changes. */
export function folded(diff: DiffLine[], around = 2): (DiffLine | Skipped)[] {
  const near = (n: number) => diff.slice(Math.max(0, n - around), n + around + 1).some(({ kind }) => kind !== "same")
  const shown: (DiffLine | Skipped)[] = []
  diff.forEach((line, n) => {
    const last = shown.at(-1)
    if (near(n)) shown.push(line)
    else if (last?.kind === "skipped") last.count++
    else shown.push({ kind: "skipped", count: 1 })
  })
  return shown
}
