// The second half of a login. The browser sends the cookie to every port of this host, so the server asks for more: a key
// that only this origin, port included, can read, in a header of each request.
import { readItem, writeItem } from "../lib/storage"

const PAGE_KEY = "xbot.page"
const BROWSER = "xbot.browser"

/** Where storage is blocked the login lasts as long as the page. */
let here = ""

/** What goes with every request to the server. */
export const pageHeaders = (): Record<string, string> => ({ "X-Xbot-Page": readItem(PAGE_KEY) ?? here })

/** What tells the server that this browser was let in before, so that it need not wait with those who guess. */
export const knownBrowser = (): { browser?: string } => {
  const browser = readItem(BROWSER)
  return browser === null ? {} : { browser }
}

/** Keeps what a login gave. */
export function keepLogin({ page_key, browser }: { page_key: string; browser: string }): void {
  here = page_key
  writeItem(PAGE_KEY, page_key)
  writeItem(BROWSER, browser)
}

/** Forgets the key of a login that has ended. The browser stays known: that opens nothing. */
export function forgetLogin(): void {
  here = ""
  writeItem(PAGE_KEY, "")
}
