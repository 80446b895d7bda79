import { byteLength, dropBytes } from "../../lib/bytes"

/**
 * A text that arrives in pieces which say where they begin. Pieces may repeat, overlap or be missing: what overlaps is
 * cut, and after a hole the text goes on with `gap` set, since the durable event that ends it brings the whole.
 */
export interface Strand {
  text: string
  /** Position after the last piece, in bytes from the beginning. */
  bytes: number
  /** Something before the end is missing. */
  gap: boolean
}

export const emptyStrand: Strand = { text: "", bytes: 0, gap: false }

/** What stands in the text where pieces were missed. */
export const HOLE = "…"

export function addPiece(strand: Strand, offset: number, piece: string): Strand {
  if (piece === "") return strand
  const end = offset + byteLength(piece)
  if (end <= strand.bytes) return strand
  if (offset > strand.bytes) return { text: strand.text + HOLE + piece, bytes: end, gap: true }
  return { ...strand, text: strand.text + dropBytes(piece, strand.bytes - offset), bytes: end }
}

/** A strand whose text is at most about `limit` units long: the beginning goes first, at a line's end if there is one. */
export function keepTail(strand: Strand, limit: number): Strand {
  if (strand.text.length <= limit * 1.25) return strand
  const tail = strand.text.slice(-limit)
  const line = tail.indexOf("\n")
  return { ...strand, text: HOLE + "\n" + (line >= 0 ? tail.slice(line + 1) : tail), gap: true }
}
