// What the page and the worker that highlights code tell each other.

/** A run of characters of the same style. */
export interface Run {
  text: string
  color?: string
  italic: boolean
}

export interface Request {
  id: number
  code: string
  language: string
}

export interface Answer {
  id: number
  lines: Run[][] | undefined
}
