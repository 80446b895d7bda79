/**
 * Returns the path within this page that a redirect parameter names, as the browser reads it; undefined for another site or scheme, in any form.
 */
export function placeInside(next: unknown, origin: string = location.origin): string | undefined {
  if (typeof next !== "string" || !next.startsWith("/") || hasControls(next)) return undefined
  try {
    const url = new URL(next, origin)
    const place = url.pathname + url.search + url.hash
    // A path that begins with two slashes, also after its dots are resolved, would be read as a host.
    return url.origin === origin && !/^\/[/\\]/.test(place) && !/^\/[/\\]/.test(next) ? place : undefined
  } catch {
    return undefined
  }
}

/** Browsers remove tabs and line ends from addresses: "/\t/host" is "//host". */
const hasControls = (text: string) => Array.from(text).some((char) => char < " " || char === "\u007f")

/**
 * The search of the sign-in page. An unwanted member must be undefined, not missing: the router takes missing members from the address unchecked.
 */
export const loginSearch = (search: Record<string, unknown>): { next?: string | undefined } => ({ next: placeInside(search.next) })
