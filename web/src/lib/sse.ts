/** One event of a text/event-stream. Only what lasts has an id. */
export interface ServerEvent {
  id?: string
  event: string
  data: string
}

/**
 * Parses a text/event-stream that arrives in pieces: lines end in LF, CRLF or CR, comments are left out, an event ends at an empty line. An
 * event that the stream ends in the middle of is never returned.
 */
export class EventParser {
  #rest = ""
  #id: string | undefined
  #event = ""
  #data: string[] = []

  /** Takes the next piece and returns the events that it completes. Fails at a line of more than `longest` characters. */
  push(piece: string, longest = Infinity): ServerEvent[] {
    const events: ServerEvent[] = []
    this.#rest += piece
    if (this.#rest.length > longest) throw new Error("an event of the stream is too long")
    // A carriage return at the end may be half of a pair.
    for (let end; (end = /\r\n|\n|\r(?!$)/.exec(this.#rest)); ) {
      const line = this.#rest.slice(0, end.index)
      this.#rest = this.#rest.slice(end.index + end[0].length)
      if (line !== "") this.#field(line)
      else {
        if (this.#data.length > 0) events.push({ id: this.#id, event: this.#event || "message", data: this.#data.join("\n") })
        this.#id = undefined
        this.#event = ""
        this.#data = []
      }
    }
    return events
  }

  #field(line: string): void {
    const colon = line.indexOf(":")
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
    if (name === "data") this.#data.push(value)
    else if (name === "event") this.#event = value
    else if (name === "id") this.#id = value
  }
}
