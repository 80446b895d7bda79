import type { Span } from "./commands"

/** What the editable part of the composer gets, the plain box and the editor alike. */
export interface BoxProps {
  label: string
  placeholder: string
  text: string
  /** Parts of the text that are commands rather than words. */
  marked: Span[]
  onText: (text: string) => void
  /** A key was pressed; true means that it is dealt with. */
  onKey: (event: KeyboardEvent) => boolean
  /** Files were pasted. */
  onFiles: (files: File[]) => void
  /** Id of the command that Enter would run, while commands are listed. */
  menuOption?: string
}

export interface EditorProps extends BoxProps {
  /** Where to put the caret at first, counted in characters of the text; undefined leaves the focus where it is. */
  caret?: number
}
