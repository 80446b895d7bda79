/**
 * Models write formulas as \(…\), \[…\], $…$ or $$…$$; the parser is told to know only $$. This brings all of them to
 * that form, outside of code. A single dollar counts only as in Pandoc: no space inside next to it, no digit after the
 * closing one, so "$5 and $10" stays money.
 */
export function unifyMath(text: string): string {
  return text
    .split(CODE)
    .map((part, n) => (n % 2 === 1 ? part : unifyOutsideCode(part)))
    .join("")
}

/** Whether a text has anything that could be a formula, so that the parts which draw them have to be loaded. */
export function mayHaveMath(text: string): boolean {
  return /\$[^\s$]|\$\$|\\\(|\\\[/.test(text)
}

/** Fenced code, closed or still open, and code spans; the one group makes split keep them. */
const CODE = /(^[ \t]*```[^]*?(?:^[ \t]*```[ \t]*$|$(?![^]))|^[ \t]*~~~[^]*?(?:^[ \t]*~~~[ \t]*$|$(?![^]))|`[^`\n]+`)/m

function unifyOutsideCode(text: string): string {
  return text
    .replace(/(?<!\\)\\\[((?:\\[^[\]]|[^\\])+)\\\]/g, (_, inner: string) => (inner.includes("\n") ? `\n${FENCE}\n${inner.trim()}\n${FENCE}\n` : formula(inner)))
    .replace(/(?<!\\)\\\(((?:\\[^()\n]|[^\\\n])+)\\\)/g, (_, inner: string) => formula(inner))
    .replace(/(?<![\\$\w])\$(?![\s$])([^$\n]*?[^\s$\\])\$(?![$\d])/g, (_, inner: string) => formula(inner))
}

const FENCE = "$$"

const formula = (inner: string): string => FENCE + inner.trim() + FENCE
