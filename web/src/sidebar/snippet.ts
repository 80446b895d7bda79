/** A piece of a snippet, and whether it is what was searched for. */
export interface SnippetPart {
  text: string
  found: boolean
}

/** Cuts a snippet at the words that were searched for, whatever their case. */
export function partsOf(snippet: string, q: string): SnippetPart[] {
  const words = q.split(/\s+/).filter((word) => word !== "")
  if (words.length === 0) return [{ text: snippet, found: false }]
  const sought = new RegExp(`(${words.map(escape).join("|")})`, "giu")
  return snippet
    .split(sought)
    .map((text, n) => ({ text, found: n % 2 === 1 }))
    .filter(({ text }) => text !== "")
}

const escape = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
