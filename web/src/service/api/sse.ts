/** An event of a stream. Only what lasts has an id. */
export interface ServerEvent {
  id?: string
  data: string
}

/** Characters that one event may have. A longer one is no answer that a page could show. */
const MOST = 16_000_000

/**
 * Reads events as the standard has them: lines end in LF, CRLF or CR, comments are left out, an event ends at an empty line. One that the
 * connection cut off is dropped. It fails when nothing comes for `silence` milliseconds: the server gives a sign each 15 seconds.
 */
export async function* events(body: ReadableStream<Uint8Array>, silence = 45_000): AsyncGenerator<ServerEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const parser = new Parser()
  try {
    for (;;) {
      const { done, value } = await within(silence, reader.read())
      if (done) return
      yield* parser.read(decoder.decode(value, { stream: true }))
    }
  } finally {
    void reader.cancel().catch(() => undefined) // it is gone already
  }
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error("the server is silent")), milliseconds)))
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

class Parser {
  #rest = ""
  #data: string[] = []
  #id: string | undefined

  *read(text: string): Generator<ServerEvent> {
    this.#rest += text
    if (this.#rest.length > MOST) throw new Error("an event of the stream is too long")
    // A CR at the end may be half of a CRLF.
    for (let end; (end = /\r\n|\n|\r(?!$)/.exec(this.#rest)); ) {
      const line = this.#rest.slice(0, end.index)
      this.#rest = this.#rest.slice(end.index + end[0].length)
      if (line !== "") this.#field(line)
      else yield* this.#end()
    }
  }

  #field(line: string): void {
    const colon = line.indexOf(":")
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
    if (name === "data") this.#data.push(value)
    else if (name === "id") this.#id = value
  }

  *#end(): Generator<ServerEvent> {
    if (this.#data.length > 0) yield { id: this.#id, data: this.#data.join("\n") }
    this.#data = []
    this.#id = undefined
  }
}
