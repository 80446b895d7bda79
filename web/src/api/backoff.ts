/** First and longest wait between two attempts to reach the server, in milliseconds. */
const FIRST_WAIT = 300
const LONGEST_WAIT = 5000

/** The wait before attempt n + 1 after n failures in a row (n from 1), with up to a fifth of jitter taken off. */
export function waitAfter(failures: number, random: () => number = Math.random): number {
  const full = Math.min(FIRST_WAIT * 2 ** (failures - 1), LONGEST_WAIT)
  return full * (1 - random() * 0.2)
}

/** Calls `again` when the network comes back or the page is looked at again; returns what undoes it. */
export function onReturn(again: () => void): () => void {
  const visible = () => {
    if (document.visibilityState === "visible") again()
  }
  window.addEventListener("online", again)
  document.addEventListener("visibilitychange", visible)
  return () => {
    window.removeEventListener("online", again)
    document.removeEventListener("visibilitychange", visible)
  }
}
