// What a text weighs before it is read as Markdown: work that would hold up the page is seen in advance.

// Bounds of a text. Beyond them the time to read it, or what is drawn of it, grows with the square of its length. The server has the same
// ones (internal/markdown/weight.go).
const MOST_MARKS = 2000 // marks of emphasis, code, links and entities in one paragraph
const MOST_CELLS = 50_000 // cells of all tables, with those that rows leave out

const DEEP = /^(?:\s{200}|(?:\s*(?:>|(?:[-+*]|\d+[.)])\s)){33})/ // quotes and lists in others, on one line or ever further to the right
const ITEM = /^[-+*]\s+\S/
const MARGIN = /^(`{3,}(?=[^`]*$)|~{3,})/
const RULED = /^[|:>\s-]+$/ // the line below the heads of a table
const ENDING = /^[>\s]*(?:[#<]|[-+*]\s|\d+[.)])/ // what follows is no row of a table
const MARKED = /[*_~[\]!`<&:@]/g

const count = (text: string, of: RegExp): number => text.match(of)?.length ?? 0

/** Whether a text is not to be read as Markdown, because somebody made it so that this takes long. */
export function isHeavy(text: string): boolean {
  let fence: string | undefined // that is open
  let html = false // a line began as HTML does, so that fences may be a part of it
  let before = "" // the last line
  let columns = 0 // of the table that goes on
  let around = 0 // quotes that it stands in
  let marks = 0 // of the paragraph that goes on
  let cells = 0

  /** Whether a line is code between fences at the margin, which are the ones that nothing around them ends. */
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
