import { type ComponentType, createContext } from "react"

/** The files that the texts of an open conversation name. */
export interface MarkdownFiles {
  open: (path: string) => void
  Image: ComponentType<{ path: string; alt?: string }>
}

/** Undefined where texts have no files: their names are shown instead. */
export const FilesContext = createContext<MarkdownFiles | undefined>(undefined)
