/** How the composer names a file that is on the runner. A path may have brackets of its own. */
const mention = String.raw`\[file: (\/(?:[^[\]\n]|\[[^[\]\n]*\])+)\]`

const atTheEnds = new RegExp(String.raw`^(?:\s*${mention})+|(?:\s*${mention})+\s*$`, "g")

/** Files that one message may have; the server's limit. */
const MOST = 20

export const fileWord = (path: string): string => `[file: ${path}]`

/**
 * Parts what is sent into the words and the files that it names. Names within a sentence stay there, too; those before and
 * after all words do not, since the server names the files. A command stays whole: it reads its words itself.
 */
export function partFiles(text: string): { words: string; files: string[] } {
  if (/^\s*[!/]/.test(text)) return { words: text, files: [] }
  const files = [...new Set(Array.from(text.matchAll(new RegExp(mention, "g")), (found) => found[1] ?? ""))]
  if (files.length === 0 || files.length > MOST) return { words: text, files: [] }
  return { words: text.replace(atTheEnds, "").trim(), files }
}
