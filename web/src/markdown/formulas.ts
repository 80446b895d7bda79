// What draws formulas; loaded when a text has one.
import type { Element, Root } from "hast"
import "katex/dist/katex.min.css"

import { isHeavyFormula } from "./formula-weight"

export { katexOptions } from "./katex-options"
export { default as rehypeKatex } from "rehype-katex"
export { default as remarkMath } from "remark-math"

/** Characters of formulas that are typeset in one part of an answer. */
const MOST = 20_000

/** Leaves formulas that would block the page as code. */
export function leaveHeavyFormulas() {
  return (tree: Root) => {
    let left = MOST
    const visit = ({ children }: Root | Element): void => {
      for (const child of children) {
        if (child.type !== "element") continue
        if (!isFormula(child)) visit(child)
        else {
          const text = child.children.map((part) => (part.type === "text" ? part.value : "")).join("")
          left -= text.length
          if (left < 0 || isHeavyFormula(text)) child.properties.className = []
        }
      }
    }
    visit(tree)
  }
}

const isFormula = ({ properties }: Element): boolean => {
  const names = properties.className
  return Array.isArray(names) && names.some((name) => name === "language-math" || name === "math-inline" || name === "math-display")
}
