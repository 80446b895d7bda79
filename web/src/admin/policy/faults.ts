import type { Span } from "../../conversation/composer/commands"
import { placesOf } from "./json5"

/** Something that is wrong with a text, and where, as far as its sentence says. */
export interface Fault {
  text: string
  place?: Span
  /** From 1. */
  line?: number
}

/** Finds the places that sentences about a text speak of: a line with a column, or the path of a member. */
export function locate(text: string, sentences: string[]): Fault[] {
  const places = placesOf(text)
  return sentences.map((sentence) => {
    const place = byLine(text, sentence) ?? byPath(places, sentence)
    return place ? { text: sentence, place, line: lineOf(text, place.from) } : { text: sentence }
  })
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split("\n").length

/** "line 3", "line 3, column 5", "3:5". */
function byLine(text: string, sentence: string): Span | undefined {
  const [, spoken, columnSpoken, short, columnShort] = /\bline (\d+)(?:[,:]? (?:column|col|character) (\d+))?|\b(\d+):(\d+)\b/i.exec(sentence) ?? []
  const line = Number(spoken ?? short)
  if (!line) return undefined
  const lines = text.split("\n")
  const words = lines[line - 1]
  if (words === undefined) return undefined
  const start = lines.slice(0, line - 1).reduce((sum, before) => sum + before.length + 1, 0)
  const column = Number(columnSpoken ?? columnShort)
  const from = start + Math.min(Math.max(0, column ? column - 1 : words.search(/\S|$/)), Math.max(0, words.length - 1))
  const rest = /^[\w$"'.-]+/.exec(text.slice(from, start + words.length))?.[0].length ?? 1
  return { from, to: Math.min(from + rest, text.length) }
}

/** "session.reset.mode", "agents.list[1].id": the longest path that the sentence names and the text has. */
function byPath(places: ReturnType<typeof placesOf>, sentence: string): Span | undefined {
  const named = [...sentence.matchAll(/[\w$*-]+(?:\[[^\]\s]+\]|\.[\w$*-]+)*/g)].map(([path]) => path.replace(/\[["']?([^\]"']+)["']?\]/g, ".$1"))
  const byDepth = [...places].sort((a, b) => b.path.length - a.path.length)
  for (const name of [...named].sort((a, b) => b.split(".").length - a.split(".").length)) {
    const found = byDepth.find(({ path }) => path.join(".") === name)
    if (found) return found
  }
  // A sentence may name only the last member, in quotes or in front of a colon.
  const [, member] = /["“']([\w$*-]+)["”']/.exec(sentence) ?? []
  return member === undefined ? undefined : byDepth.find(({ path }) => path.at(-1) === member)
}
