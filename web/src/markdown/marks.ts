/** Where an answer sends a file by a mark of its own. */
const mark = /<<FILE:([^<>\n]{1,1000})>>/g

/** Writes `<<FILE:path>>` as what shows the file. */
export const showFiles = (text: string): string =>
  text.replace(mark, (_, path: string) => `![${path.trim().split("/").at(-1)?.replace(/[[\]\\]/g, "") ?? ""}](<${path.trim()}>)`)
