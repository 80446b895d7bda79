import type { Hit } from "../api/routing"

/** A piece of a snippet, and whether it is what was searched for. */
export interface SnippetPart {
  text: string
  found: boolean
}

/** Cuts a snippet at its marks, which count characters. */
export function partsOf({ snippet, marks }: Pick<Hit, "snippet" | "marks">): SnippetPart[] {
  const letters = Array.from(snippet)
  const parts: SnippetPart[] = []
  let at = 0
  const add = (to: number, found: boolean) => {
    if (to > at) parts.push({ text: letters.slice(at, to).join(""), found })
    at = Math.max(at, to)
  }
  for (const { from, to } of marks ?? []) {
    add(from, false)
    add(to, true)
  }
  add(letters.length, false)
  return parts
}
