// Bounds of a formula, in characters and in groups inside of groups: macros and nested parts multiply.
const LONGEST_FORMULA = 4000
const LONGEST_WITH_MACROS = 500
const DEEPEST_FORMULA = 12
const MACROS = /\\(?:[gex]?def|let|futurelet|global|long|(?:re)?newcommand|providecommand)(?![a-zA-Z])/

/** Text moved by hundreds of units; all other lengths are bounded when they are set (maxSize). */
const MOVED = /\\raisebox\s*\{?[^}]*\d{3}/

/** Whether setting a formula would take long. */
export function isHeavyFormula(formula: string): boolean {
  if (formula.length > LONGEST_FORMULA || (formula.length > LONGEST_WITH_MACROS && MACROS.test(formula)) || MOVED.test(formula)) return true
  let depth = 0
  for (const [mark] of formula.matchAll(/\\[^]|[{}]/g)) {
    if (mark === "{") depth++
    else if (mark === "}") depth = Math.max(0, depth - 1)
    if (depth > DEEPEST_FORMULA) return true
  }
  return false
}
