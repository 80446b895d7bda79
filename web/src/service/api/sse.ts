import { EventParser, type ServerEvent } from "../../lib/sse"

/** Characters that one event may have. A longer one is no answer that a page could show. */
const MOST = 16_000_000

/** Reads the events of a response. It fails when nothing comes for `silence` milliseconds: the server gives a sign each 15 seconds. */
export async function* events(body: ReadableStream<Uint8Array>, silence = 45_000): AsyncGenerator<ServerEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const parser = new EventParser()
  try {
    for (;;) {
      const { done, value } = await within(silence, reader.read())
      if (done) return
      yield* parser.push(decoder.decode(value, { stream: true }), MOST)
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
