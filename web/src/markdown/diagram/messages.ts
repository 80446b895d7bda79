// Messages between the page and the frame that draws diagrams.

/** A request of the page. */
export interface Request {
  id: number
  source: string
  dark: boolean
}

/** A drawn diagram. */
export interface Drawing {
  /** The picture, as a data: address. */
  address: string
  /** Its size, in CSS pixels. */
  width: number
  height: number
  /** The title in the source (accTitle). */
  title: string | undefined
}

/** The answer of the frame: a drawing, an error in the source, or that the picture is too large. */
export type Answer = { id: number } & ({ drawing: Drawing } | { problem: string } | { large: true })

/** The first message of the frame, once it is ready. */
export const READY = "ready"

const PICTURE = "data:image/svg+xml;"

/** Returns the answer in a message; undefined if it has none. The frame runs a model's text and is not trusted. */
export function readAnswer(data: unknown): Answer | undefined {
  const { id, drawing, problem, large } = asRecord(data)
  if (typeof id !== "number") return undefined
  if (typeof problem === "string") return { id, problem: problem.slice(0, 300) }
  if (large === true) return { id, large }
  const { address, width, height, title } = asRecord(drawing)
  if (typeof address !== "string" || !address.startsWith(PICTURE) || !isLength(width) || !isLength(height)) return undefined
  return { id, drawing: { address, width, height, title: typeof title === "string" ? title.slice(0, 300) : undefined } }
}

const asRecord = (value: unknown): Record<string, unknown> => (typeof value === "object" && value !== null ? { ...value } : {})

const isLength = (value: unknown): value is number => typeof value === "number" && value > 0 && value <= LONGEST_SIDE

/** CSS pixels that a picture may be wide or high. */
export const LONGEST_SIDE = 20_000
