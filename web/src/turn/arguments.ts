/** One argument of a tool call as people read it. */
export interface Argument {
  name: string
  value: string
}

/** The arguments of a call, or undefined when the model wrote something that is no JSON object. */
export function readArguments(json: string): Argument[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(json === "" ? "{}" : json)
  } catch {
    return undefined
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  return Object.entries(value).map(([name, part]) => ({
    name,
    value: typeof part === "string" ? part : JSON.stringify(part, null, 2),
  }))
}
