/** Why a call failed, with a sentence for people. Status 0 means that the server could not be reached. */
export class Problem extends Error {
  readonly status: number
  /** What exactly was wrong, one sentence each, where the server says. */
  readonly faults: string[]

  constructor(status: number, message: string, faults: string[] = []) {
    super(message)
    this.name = "Problem"
    this.status = status
    this.faults = faults
  }

  /** True when the same call may succeed later without anybody changing it. */
  get passing(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500
  }
}

/** Reads the body of a failed call. Anything but a problem document (a proxy's page, say) gives a sentence of its own. */
export function problemFrom(status: number, body: unknown): Problem {
  const { detail, title, errors } = (typeof body === "object" && body !== null ? body : {}) as { detail?: unknown; title?: unknown; errors?: unknown }
  const faults = Array.isArray(errors) ? errors.map(sentenceOf).filter((sentence) => sentence !== "") : []
  if (typeof detail === "string" && detail !== "") return new Problem(status, detail, faults)
  if (typeof title === "string" && title !== "") return new Problem(status, title, faults)
  return new Problem(status, `The server answered with status ${status}.`)
}

function sentenceOf(fault: unknown): string {
  if (typeof fault === "string") return fault
  const { message } = (fault ?? {}) as { message?: unknown }
  return typeof message === "string" ? message : ""
}

export function unreachable(): Problem {
  return new Problem(0, "The server cannot be reached.")
}

/** The Problem behind an error of any kind; foreign errors keep their own text. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem(-1, error instanceof Error ? error.message : String(error))
}
