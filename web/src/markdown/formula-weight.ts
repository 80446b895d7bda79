// Limits of a formula, in characters and in nested groups: macros and nested groups multiply.
const LONGEST_FORMULA = 4000
const LONGEST_WITH_MACROS = 500
const DEEPEST_FORMULA = 12
const MACROS = /\\(?:[gex]?def|let|futurelet|global|long|(?:re)?newcommand|providecommand)(?![a-zA-Z])/

/** Text shifted by hundreds of units; KaTeX limits all other lengths (maxSize). */
const MOVED = /\\raisebox\s*\{?[^}]*\d{3}/

/** Whether a formula would take long to typeset. */
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
