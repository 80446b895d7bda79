import createClient from "openapi-fetch"

import { pageHeaders } from "./pagekey"
import { problemFrom, unreachable } from "./problem"
import type { paths } from "./schema"

/** The typed client of the server this page came from. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: (request) => fetch(signed(request)) })

function signed(request: Request): Request {
  for (const [name, value] of Object.entries(pageHeaders())) request.headers.set(name, value)
  return request
}

let onSignedOut: () => void = () => undefined

/** Registers what happens when the server no longer knows this browser (status 401). */
export function whenSignedOut(handler: () => void): void {
  onSignedOut = handler
}

/** Tells the page that a call outside of this client met a 401. */
export function signedOut(): void {
  onSignedOut()
}

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/** Waits for a call and returns its body, or throws a Problem. */
export async function unwrap<T>(call: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>
  try {
    answer = await call
  } catch {
    throw unreachable() // fetch rejects only when no answer came
  }
  const { data, error, response } = answer
  if (response.ok) return data as T
  if (response.status === 401 && !response.url.endsWith("/api/login")) onSignedOut()
  throw problemFrom(response.status, error)
}
