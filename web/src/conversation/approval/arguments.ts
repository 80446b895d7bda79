/** One argument of a tool call as people read it. */
export interface Argument {
  name: string
  value: string
}

/** Names of arguments that say what a call is about, the most telling first. */
const telling = ["command", "path", "output_path", "url", "pattern"]

/** The argument that says most: a command, a path, an address. */
export function mainArgument(list: Argument[]): Argument | undefined {
  for (const name of telling) {
    const found = list.find((argument) => argument.name === name)
    if (found) return found
  }
  return list.length === 1 ? list[0] : undefined
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
