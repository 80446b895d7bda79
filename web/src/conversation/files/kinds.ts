/** How a file is shown. */
export type Kind = "picture" | "sound" | "film" | "pdf" | "table" | "text"

const kinds: Record<Exclude<Kind, "text">, string[]> = {
  picture: ["png", "jpg", "jpeg", "gif", "webp", "avif", "bmp", "svg"],
  sound: ["mp3", "wav", "ogg", "oga", "flac", "m4a", "aac"],
  film: ["mp4", "webm", "mov", "ogv"],
  pdf: ["pdf"],
  table: ["csv", "tsv", "xlsx", "xlsm"],
}

/** How a file is shown, by its name; what is no text after all says so when it is read. */
export function kindOf(path: string): Kind {
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ""
  for (const [kind, endings] of Object.entries(kinds)) if (endings.includes(ending)) return kind as Kind
  return "text"
}

/** Whether a table can be changed as text, too. */
export const isPlainTable = (path: string): boolean => /\.[ct]sv$/i.test(path)

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** The folder of a path; the root is its own. */
export const folderOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf("/")))

export const join = (folder: string, name: string): string => (folder.endsWith("/") ? folder + name : `${folder}/${name}`)

/** How the lines of a text end; where they end in different ways the carriage returns are a part of them, so that none is lost. */
export const lineEndOf = (text: string): string => (text.includes("\r\n") && !/(?<!\r)\n/.test(text) ? "\r\n" : "\n")
