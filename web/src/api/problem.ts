/** Why a call failed, with a sentence for people. Status 0 means that the server could not be reached. */
export class Problem extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = "Problem"
    this.status = status
  }

  /** True when the same call may succeed later without anybody changing it. */
  get passing(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500
  }
}

/** Reads the body of a failed call. Anything but a problem document (a proxy's page, say) gives a sentence of its own. */
export function problemFrom(status: number, body: unknown): Problem {
  const { detail, title } = (typeof body === "object" && body !== null ? body : {}) as { detail?: unknown; title?: unknown }
  if (typeof detail === "string" && detail !== "") return new Problem(status, detail)
  if (typeof title === "string" && title !== "") return new Problem(status, title)
  return new Problem(status, `The server answered with status ${status}.`)
}

export function unreachable(): Problem {
  return new Problem(0, "The server cannot be reached.")
}

/** The Problem behind an error of any kind; foreign errors keep their own text. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem(-1, error instanceof Error ? error.message : String(error))
}
