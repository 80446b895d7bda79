// What draws formulas; loaded when a text has one.
import "katex/dist/katex.min.css"

export { default as rehypeKatex } from "rehype-katex"
export { default as remarkMath } from "remark-math"
