/** Where an answer sends a file by a mark of its own. */
const mark = /<<FILE:([^<>\n]{1,1000})>>/g

/** Writes `<<FILE:path>>` as what shows the file. A text that still grows shows no half of a mark. */
export const showFiles = (text: string, live: boolean): string =>
  (live ? text.replace(/<{1,2}[^<>\n]{0,1010}>?$/, halfMark) : text).replace(mark, (_, path: string) => `![${path.trim().split("/").at(-1)?.replace(/[[\]\\]/g, "") ?? ""}](<${path.trim()}>)`)

const halfMark = (end: string) => ("<<FILE:".startsWith(end) || end.startsWith("<<FILE:") ? "" : end)
