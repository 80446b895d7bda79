import type { Span } from "../../conversation/composer/commands"

/** What a piece of JSON5 is. */
export type Kind = "key" | "string" | "number" | "word" | "comment" | "punctuation"

export interface Token extends Span {
  kind: Kind
}

const pattern =
  /(?<comment>\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|(?<string>"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?)|(?<number>[-+]?(?:0x[\da-f]+|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|Infinity|NaN)\b)|(?<word>[\p{L}_$][\p{L}\p{N}_$]*)|(?<punctuation>[{}[\],:])/giu

/** The pieces of a text that is JSON5, or is becoming it; blanks and what belongs nowhere are left out. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  for (const { groups = {}, 0: found, index } of text.matchAll(pattern)) {
    const [kind] = Object.entries(groups).find(([, value]) => value !== undefined) ?? ["punctuation"]
    const token: Token = { kind: kind as Kind, from: index, to: index + found.length }
    if (found === ":") nameKey(tokens)
    tokens.push(token)
  }
  return tokens
}

/** What stands before a colon is a name. */
function nameKey(tokens: Token[]): void {
  const name = tokens.findLast(({ kind }) => kind !== "comment")
  if (name && (name.kind === "string" || name.kind === "word")) name.kind = "key"
}

/** A name in the text, and the path of names and places that leads to it. */
export interface Place extends Span {
  path: string[]
}

/** Where each member and each element of a text stands. */
export function placesOf(text: string): Place[] {
  const places: Place[] = []
  const open: { list: boolean; at: string }[] = []
  const path = () => open.map(({ at }) => at)
  let fresh = true // an element of a list begins with the next piece
  for (const { kind, from, to } of tokensOf(text)) {
    if (kind === "comment") continue
    const inside = open.at(-1)
    const piece = text.slice(from, to)
    if (inside?.list && fresh && piece !== "]" && piece !== ",") {
      places.push({ path: path(), from, to })
      fresh = false
    }
    if (kind === "key" && inside) {
      inside.at = bare(piece)
      places.push({ path: path(), from, to })
    } else if (piece === "{" || piece === "[") {
      open.push({ list: piece === "[", at: piece === "[" ? "0" : "" })
      fresh = true
    } else if (piece === "}" || piece === "]") {
      open.pop()
      fresh = false
    } else if (piece === "," && inside?.list) {
      inside.at = String(Number(inside.at) + 1)
      fresh = true
    }
  }
  return places
}

const bare = (name: string): string => (/^["']/.test(name) ? name.slice(1, -1) : name)
