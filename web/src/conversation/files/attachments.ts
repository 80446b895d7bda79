/** A file of a message, as its last lines tell of it. */
export interface AttachedFile {
  name: string
  /** Bytes; missing where it was not fetched. */
  size?: number
  path?: string
  /** Why it is not there. */
  problem?: string
}

const line = /^\[(?:quoted )?(?:file|image|audio|video|sticker): (.+?) · (?:(\d+) bytes · (?:PDF of \d+ pages?, for Read · |not shown as a picture: [^·]+ · )?(\/.+)|not fetched: (.+)|(removed, it was old))\]$/

/** Parts what a person wrote into the words and the files that the lines at its end tell of. */
export function attachedFiles(text: string): { words: string; files: AttachedFile[] } {
  const rows = text.split("\n")
  const files: AttachedFile[] = []
  for (let found = line.exec(rows.at(-1) ?? ""); found; found = line.exec(rows.at(-1) ?? "")) {
    const [, name = "", size, path, missing, removed] = found
    files.unshift({ name, ...(size && { size: Number(size) }), ...(path && { path }), ...((missing ?? removed) && { problem: missing ?? removed }) })
    rows.pop()
  }
  return { words: rows.join("\n"), files }
}
