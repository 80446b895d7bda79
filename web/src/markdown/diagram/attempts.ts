// Remembers in the browser which sources could not be drawn in time. A tab that is killed while drawing one does not try it again.
import { readJson, writeJson } from "../../lib/storage"

const NAME = "xbot.diagrams.slow"

/** How many sources are remembered, the newest ones. */
const MOST = 200

const known = (): string[] => {
  const list = readJson<unknown>(NAME, [])
  return Array.isArray(list) ? list.filter((digest) => typeof digest === "string") : []
}

/**
 * Runs `draw` unless the source is known as slow. The source counts as slow until `draw` has settled, and permanently if the result is "slow". Tabs
 * draw the same source one after the other, so a mark means that another tab was killed or gave up.
 */
export async function attempt<T>(source: string, anyway: boolean, draw: () => Promise<T | "slow">): Promise<T | "slow"> {
  const digest = digestOf(source)
  const others = () => known().filter((other) => other !== digest)
  const unmark = () => writeJson(NAME, others())
  const run = async (): Promise<T | "slow"> => {
    if (!anyway && known().includes(digest)) return "slow"
    writeJson(NAME, [...others(), digest].slice(-MOST))
    addEventListener("pagehide", unmark) // a tab that is closed or navigates away was not killed
    let result: T | "slow" | undefined
    try {
      result = await draw()
      return result
    } finally {
      if (result !== "slow") unmark()
      removeEventListener("pagehide", unmark)
    }
  }
  // Only secure contexts have locks. Without them a tab may take the running drawing of another tab for an abandoned one.
  return navigator.locks ? await navigator.locks.request(`${NAME}.${digest}`, run) : run()
}

/** A short digest of a text (cyrb53). A collision only shows a diagram as code. */
export function digestOf(text: string): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36)
}
