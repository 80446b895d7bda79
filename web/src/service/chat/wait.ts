/** Milliseconds before each further attempt to reach the server; the last one repeats. */
const waits = [500, 1000, 2000, 4000, 8000, 15_000]

/** Waits before an attempt, the longer the more have failed; the browser's word that the network is back ends it. */
export function beforeAttempt(failed: number, signal: AbortSignal): Promise<void> {
  const most = waits[Math.min(failed, waits.length) - 1] ?? 0
  return sleep(most * (0.7 + 0.6 * Math.random()), signal, "online") // so that many do not come at the same moment
}

/** Waits some milliseconds, or until the event of the window; fails when the signal says so. */
export function sleep(milliseconds: number, signal: AbortSignal, until?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (finish: () => void) => () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", aborted)
      if (until !== undefined) removeEventListener(until, done)
      finish()
    }
    const done = end(resolve)
    const aborted = end(() => reject(signal.reason as Error))
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener("abort", aborted)
    if (until !== undefined) addEventListener(until, done)
    if (signal.aborted) aborted()
  })
}
