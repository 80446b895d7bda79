/**
 * A place inside this page that an address names to go on to, and nothing else: undefined for another site or scheme, in whatever form. What is
 * returned is the address as the browser reads it.
 */
export function placeInside(next: unknown, origin: string = location.origin): string | undefined {
  if (typeof next !== "string" || !next.startsWith("/") || hasControls(next)) return undefined
  try {
    const url = new URL(next, origin)
    const place = url.pathname + url.search + url.hash
    // A path that begins with two slashes, also after the dots in it are gone, names a host where it is read again.
    return url.origin === origin && !/^\/[/\\]/.test(place) && !/^\/[/\\]/.test(next) ? place : undefined
  } catch {
    return undefined
  }
}

/** Browsers leave out tabs and line ends in addresses: "/\t/host" is "//host". */
const hasControls = (text: string) => Array.from(text).some((char) => char < " " || char === "\u007f")

/**
 * The search of the sign-in page. A member that is not wanted has to be undefined, not missing: what a route leaves out is taken from the address
 * unchecked.
 */
export const loginSearch = (search: Record<string, unknown>): { next?: string | undefined } => ({ next: placeInside(search.next) })
