// Asks the worker that highlights code. It is started by the first code block that needs it, and ended where it takes too long.

/** One run of characters that look the same. */
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

/** Milliseconds until code is given up, the loading of its grammar included. */
const DEADLINE = 10_000

let worker: Worker | undefined
let asked = 0

/** The lines of a code, coloured; undefined when the language is unknown, or the code too long or too hard to read. */
export function highlight(code: string, language: string): Promise<Run[][] | undefined> {
  return (last = last.then(() => ask(code, language)))
}

let last: Promise<Run[][] | undefined> = Promise.resolve(undefined)

function ask(code: string, language: string): Promise<Run[][] | undefined> {
  const current = (worker ??= new Worker(new URL("./highlight.worker.ts", import.meta.url), { type: "module" }))
  const id = ++asked
  return new Promise((resolve) => {
    const end = (lines: Run[][] | undefined) => {
      clearTimeout(timer)
      current.removeEventListener("message", hear)
      current.removeEventListener("error", giveUp)
      resolve(lines)
    }
    const hear = ({ data }: MessageEvent<Answer>) => {
      if (data.id === id) end(data.lines)
    }
    const giveUp = () => {
      current.terminate()
      worker = undefined
      end(undefined)
    }
    const timer = setTimeout(giveUp, DEADLINE)
    current.addEventListener("message", hear)
    current.addEventListener("error", giveUp)
    current.postMessage({ id, code, language } satisfies Request)
  })
}
