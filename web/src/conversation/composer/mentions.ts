import { fileWord } from "../../api/file-mentions"
import type { Option } from "./options"

/** Files that are offered at once. */
const MOST = 8

/** What is typed behind an @ at the end of a text; undefined where there is none. A command reads its words itself. */
export const typedMention = (text: string): string | undefined =>
  /^\s*[!/／]/.test(text) ? undefined : /(?:^|\s)@([^\s@]*)$/.exec(text)?.[1]

/** The ways to go on with an @: files of a folder, by their paths in it. */
export function mentionsOf(text: string, folder: string, paths: string[]): Option[] {
  const before = text.slice(0, text.lastIndexOf("@"))
  return paths.slice(0, MOST).map((path, n) => ({
    id: `mention-${n}`, name: path, text: `${before}${fileWord(`${folder === "/" ? "" : folder}/${path}`)} `, whole: false,
  }))
}
