/** The one-time token of the address this page was opened with, until it is taken. */
let token: string | undefined

/**
 * Moves the token of a sign-in link (/login#token=…) or an invitation (/join#token=…) out of the address bar and the history, before anything else reads
 * the address. A fragment never reaches the server or a proxy's log; after this nobody reads it from the screen either.
 */
export function hideToken(): boolean {
  const found = new URLSearchParams(location.hash.slice(1)).get("token")
  if (!found) return false
  token = found
  history.replaceState(history.state, "", location.pathname + location.search)
  return true
}

/** The token, once. */
export function takeToken(): string | undefined {
  const taken = token
  token = undefined
  return taken
}

/** The token, which stays: an invitation is tried again where a name is taken. */
export const heldToken = (): string | undefined => token

/** Why nobody was signed in by a provider, as the address says (/login#problem=…). */
export const problem = (): Problem | undefined => problems.find((known) => location.hash === `#problem=${known}`)

const problems = ["away", "denied", "disabled", "failed"] as const
type Problem = (typeof problems)[number]

/** Whether a sign-in link waits to be used. */
export const hasToken = (): boolean => token !== undefined

if (["/login", "/join"].includes(location.pathname)) hideToken()
