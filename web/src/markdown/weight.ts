// Detects text that would block the page before it is parsed as Markdown.

// Limits of a text. Beyond them the time to parse it, or the size of the output, grows with the square of its length. The server has the same limits
// (internal/channel/markdown/weight.go).
const MOST_MARKS = 2000 // marks of emphasis, code, links and entities in one paragraph
const MOST_CELLS = 50_000 // cells of all tables, including missing ones of short rows

const DEEP = /^(?:\s{200}|(?:\s*(?:>|(?:[-+*]|\d+[.)])\s)){33})/ // nested quotes and lists, on one line or by indentation
const ITEM = /^[-+*]\s+\S/
const MARGIN = /^(`{3,}(?=[^`]*$)|~{3,})/
const RULED = /^[|:>\s-]+$/ // the line below a table header
const ENDING = /^[>\s]*(?:[#<]|[-+*]\s|\d+[.)])/ // lines that end a table
const MARKED = /[*_~[\]!`<&:@]/g

const count = (text: string, of: RegExp): number => text.match(of)?.length ?? 0

/** Whether a text would take too long to parse as Markdown. */
export function isHeavy(text: string): boolean {
  let fence: string | undefined // the open fence
  let html = false // a line began like HTML, so that fences may be a part of it
  let before = "" // the last line
  let columns = 0 // of the current table
  let around = 0 // quote depth of the table
  let marks = 0 // of the current paragraph
  let cells = 0

  /** Whether a line is code between fences at the margin, which no surrounding block ends. */
  const isCode = (line: string): boolean => {
    if (fence) {
      const rest = line.trim()
      if (rest.startsWith(fence) && /^[`~]+$/.test(rest)) fence = undefined
      return true
    }
    if (!html) fence = MARGIN.exec(line)?.[1]
    if (fence) return true
    html ||= /^[>\s]*</.test(line)
    return false
  }

  for (const line of text.split("\n")) {
    if (isCode(line)) {
      columns = marks = 0
      continue
    }
    const quotes = count(/^[>\s]*/.exec(line)?.[0] ?? "", />/g)
    if (line.includes("-") && RULED.test(line) && (line + before).includes("|")) {
      columns = line.split("|").length
      around = quotes
    } else if (!line.includes("|") || quotes !== around || ENDING.test(line)) columns = 0
    cells += columns
    if (columns > 0 || line.trim() === "" || ITEM.test(line)) marks = 0
    marks += count(line, MARKED)
    before = line
    if (DEEP.test(line) || marks > MOST_MARKS || cells > MOST_CELLS) return true
  }
  return false
}
