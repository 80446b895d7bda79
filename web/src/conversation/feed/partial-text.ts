import { byteLength, dropBytes } from "../../lib/bytes"

/**
 * A text that arrives in pieces which say where they begin. Pieces may repeat, overlap or be missing: what overlaps is
 * cut, and after a hole the text goes on with `gap` set, since the durable event that ends it brings the whole.
 */
export interface PartialText {
  text: string
  /** Position after the last piece, in bytes from the beginning. */
  bytes: number
  /** Something before the end is missing. */
  gap: boolean
}

export const emptyText: PartialText = { text: "", bytes: 0, gap: false }

/** What stands in the text where pieces were missed. */
export const HOLE = "…"

export function addPiece(before: PartialText, offset: number, piece: string): PartialText {
  if (piece === "") return before
  const end = offset + byteLength(piece)
  if (end <= before.bytes) return before
  if (offset > before.bytes) return { text: before.text + HOLE + piece, bytes: end, gap: true }
  return { ...before, text: before.text + dropBytes(piece, before.bytes - offset), bytes: end }
}

/** A partial text of at most about `limit` units: the beginning goes first, at a line's end if there is one. */
export function keepTail(whole: PartialText, limit: number): PartialText {
  if (whole.text.length <= limit * 1.25) return whole
  const tail = whole.text.slice(-limit)
  const line = tail.indexOf("\n")
  return { ...whole, text: HOLE + "\n" + (line >= 0 ? tail.slice(line + 1) : tail), gap: true }
}
