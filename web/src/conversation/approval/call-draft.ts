import { readArguments } from "./arguments"

/** The arguments of a call while a person changes them: a text for each, in their order. */
export interface CallDraft {
  /** Undefined: the model wrote no object, and the text is all of it. */
  names?: string[]
  texts: string[]
}

export function draftOf(json: string): CallDraft {
  const list = readArguments(json)
  if (!list || list.length === 0) return { texts: [json] }
  return { names: list.map(({ name }) => name), texts: list.map(({ value }) => value) }
}

/** What the draft makes of a call, or the name of the argument that is no JSON, empty where that is the whole. */
export function argumentsOf(json: string, { names, texts }: CallDraft): { arguments: Record<string, unknown> } | { wrong: string } {
  if (!names) {
    const whole = parse(texts[0] ?? "")
    return isObject(whole) ? { arguments: whole } : { wrong: "" }
  }
  const before = parse(json)
  const was = isObject(before) ? before : {}
  const entries: [string, unknown][] = []
  for (const [n, name] of names.entries()) {
    const text = texts[n] ?? ""
    const value = typeof was[name] === "string" ? text : parse(text)
    if (value === undefined) return { wrong: name }
    entries.push([name, value])
  }
  return { arguments: Object.fromEntries(entries) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value)
