// Client of the worker that highlights code. The first code block starts it; it is ended if it takes too long.

import type { Answer, Request, Run } from "./highlight-messages"

/** Milliseconds until highlighting is given up, including the loading of the grammar. */
const DEADLINE = 10_000

let worker: Worker | undefined
let asked = 0

/** Returns the highlighted lines; undefined if the language is unknown, or the code too long or too slow to highlight. */
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
