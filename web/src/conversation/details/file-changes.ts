import type { ToolCall } from "../../api/types"

/** What calls changed in a file. */
export interface ChangedFile {
  name: string
  /** One for each call, in their order. */
  diffs: string[]
  added: number
  removed: number
}

/** The files that calls changed, in the order of their first change. */
export function changedFiles(calls: Pick<ToolCall, "diff">[]): ChangedFile[] {
  const files = new Map<string, ChangedFile>()
  for (const { diff } of calls) {
    const name = /^--- (.+)$/m.exec(diff ?? "")?.[1]
    if (!diff || name === undefined) continue
    const file = files.get(name) ?? { name, diffs: [], added: 0, removed: 0 }
    files.set(name, file)
    const lines = diff.split("\n").slice(2)
    file.diffs.push(diff)
    file.added += lines.filter((line) => line.startsWith("+")).length
    file.removed += lines.filter((line) => line.startsWith("-")).length
  }
  return [...files.values()]
}
