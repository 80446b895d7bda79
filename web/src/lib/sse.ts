/** One frame of a text/event-stream. */
export interface Frame {
  id?: string
  event: string
  data: string
}

/**
 * Parses a text/event-stream that arrives in pieces. `push` takes the next piece and returns the frames it completed;
 * a frame that the stream ends in the middle of is never returned. Comments (pings) complete nothing.
 */
export class FrameParser {
  #rest = ""
  #id: string | undefined
  #event = ""
  #data: string[] = []

  push(piece: string): Frame[] {
    const frames: Frame[] = []
    this.#rest += piece
    for (;;) {
      const end = lineEnd(this.#rest)
      if (end === undefined) return frames
      const line = this.#rest.slice(0, end.at)
      this.#rest = this.#rest.slice(end.next)
      const frame = this.#line(line)
      if (frame) frames.push(frame)
    }
  }

  #line(line: string): Frame | undefined {
    if (line === "") return this.#finish()
    const colon = line.indexOf(":")
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
    if (field === "id") this.#id = value
    else if (field === "event") this.#event = value
    else if (field === "data") this.#data.push(value)
    return undefined
  }

  #finish(): Frame | undefined {
    const frame: Frame = { event: this.#event || "message", data: this.#data.join("\n") }
    if (this.#id !== undefined) frame.id = this.#id
    const empty = this.#data.length === 0
    this.#id = undefined
    this.#event = ""
    this.#data = []
    return empty ? undefined : frame
  }
}

/** Where the first line ends. A carriage return at the very end may be half of a pair, so it waits for the next piece. */
function lineEnd(text: string): { at: number; next: number } | undefined {
  const at = text.search(/[\r\n]/)
  if (at < 0) return undefined
  if (text[at] === "\n") return { at, next: at + 1 }
  if (at + 1 === text.length) return undefined
  return { at, next: text[at + 1] === "\n" ? at + 2 : at + 1 }
}
