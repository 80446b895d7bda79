import { diffLines } from "../../ui/text/diff-lines"
import { readArguments } from "./arguments"

const signs = { same: " ", gone: "-", new: "+" }

/** What was changed in the arguments of a call, as a unified diff with a line for each line of a value. */
export function diffArguments(before: string, after: string): string {
  const lines = diffLines(linesOf(before), linesOf(after)).map(({ kind, text }) => signs[kind] + text)
  return ["--- before", "+++ after", ...lines].join("\n")
}

/** Arguments by name, each line of a value on one of its own. */
function linesOf(json: string): string[] {
  const list = readArguments(json)
  if (!list) return json.split("\n")
  return list.flatMap(({ name, value }) => (value.includes("\n") ? [`${name}:`, ...value.split("\n").map((line) => `  ${line}`)] : [`${name}: ${value}`]))
}
