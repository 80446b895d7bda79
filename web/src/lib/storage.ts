// What the browser keeps between visits. Storage may be blocked or full: then the page works on without memory.

export function readItem(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Keeps a value; an empty one is removed. */
export function writeItem(name: string, value: string): void {
  try {
    if (value === "") localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {
    // Full or blocked: the value lives as long as the page does.
  }
}

/** A kept JSON value, or `fallback` when there is none or it is not JSON. */
export function readJson<T>(name: string, fallback: T): T {
  const text = readItem(name)
  if (text === null) return fallback
  try {
    return JSON.parse(text) as T
  } catch {
    return fallback
  }
}

export function writeJson(name: string, value: unknown): void {
  writeItem(name, JSON.stringify(value))
}
