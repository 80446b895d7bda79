/** Longest piece of a line that is drawn as one row, in characters. */
export const ROW_LENGTH = 2000

/** Most rows that are drawn: more would make a box higher than browsers can. */
export const MOST_ROWS = 1_000_000

/** The rows of a text: its lines, long ones in pieces. `cut`: the text has more rows than can be drawn. */
export function rowsOf(text: string, most = MOST_ROWS): { rows: string[]; cut: boolean } {
  const rows: string[] = []
  for (let at = 0; at < text.length; ) {
    if (rows.length >= most) return { rows, cut: true }
    const found = text.indexOf("\n", at)
    const end = found < 0 ? text.length : found
    const line = text.slice(at, text[end - 1] === "\r" && end > at ? end - 1 : end)
    if (line.length <= ROW_LENGTH) rows.push(line)
    else for (const piece of pieces(line)) rows.push(piece)
    at = end + 1
  }
  return { rows, cut: false }
}

/** A long line in pieces that end between characters. */
function* pieces(line: string): Generator<string> {
  for (let at = 0; at < line.length; ) {
    let end = Math.min(line.length, at + ROW_LENGTH)
    const last = line.charCodeAt(end - 1)
    if (end < line.length && last >= 0xd800 && last < 0xdc00) end-- // the first half of a pair goes with the second
    yield line.slice(at, end)
    at = end
  }
}
