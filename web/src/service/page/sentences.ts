/** Where the last whole sentence of a growing text ends; 0: there is none yet. Code is no sentence until its block is closed. */
export function endOfSentences(text: string): number {
  const fences = [...text.matchAll(/^(?:```|~~~)/gm)]
  const open = fences.length % 2 === 1 ? (fences.at(-1)?.index ?? text.length) : text.length
  let end = 0
  for (const match of text.slice(0, open).matchAll(/[.!?](?=\s)|[。！？]|\n/g)) end = match.index + match[0].length
  return end
}

/** What is read aloud of Markdown. */
export const spoken = (text: string): string =>
  text
    .replace(/^(```|~~~)[^]*?^\1/gm, " ")
    .replace(/<<FILE:[^>]*>>/g, " ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_`#>|~]+/g, " ")
    .replace(/\s+/g, " ")
    .trim()
