import { showFiles } from "../../markdown/marks"

/** An answer as Markdown: files it shows are pictures of it. What is still being written shows no half of a mark. */
export const prepare = (text: string, live: boolean): string => showFiles(live ? text.replace(/<{1,2}[^<>\n]{0,1010}>?$/, halfMark) : text)

const halfMark = (end: string) => ("<<FILE:".startsWith(end) || end.startsWith("<<FILE:") ? "" : end)
