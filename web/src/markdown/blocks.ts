/**
 * Splits a growing Markdown text into blocks that can be drawn one by one, so that a new piece only redraws the last one.
 * A cut is made at a blank line outside of a fence or formula, before a line that surely begins something new: not one
 * that could go on a list, a quote or an indented part. Joining the blocks with a blank line gives the text back.
 */
export function splitBlocks(text: string): string[] {
  const blocks: string[] = []
  let current: string[] = []
  let fence: string | undefined
  let blank = false
  for (const line of text.split("\n")) {
    if (fence === undefined && blank && current.length > 0 && beginsAnew(line)) {
      blocks.push(current.join("\n").trimEnd())
      current = []
    }
    fence = fenceAfter(line, fence)
    blank = line.trim() === ""
    if (current.length > 0 || !blank) current.push(line)
  }
  if (current.length > 0) blocks.push(current.join("\n"))
  return blocks
}

/** The fence that is open after a line: a run of backticks or tildes, or "$$" for a formula. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  const run = /^\s{0,3}(`{3,}|~{3,}|\$\$)(.*)$/.exec(line)
  if (open !== undefined) {
    const closes = open === "$$" ? line.includes("$$") : run?.[1]?.startsWith(open) === true && run[2]?.trim() === ""
    return closes ? undefined : open
  }
  const [, mark, rest = ""] = run ?? []
  if (mark === undefined) return undefined
  const oneLine = mark === "$$" ? rest.includes("$$") : mark.startsWith("`") && rest.includes("`")
  return oneLine ? undefined : mark
}

function beginsAnew(line: string): boolean {
  return line !== "" && !/^(\s|[-*+>|]\s?|\d{1,9}[.)]\s|\[[^\]]+\]:)/.test(line)
}
