// What the browser keeps for the page of a service. In a frame of another origin storage may be refused, and it may be full: then what is
// kept lives as long as the page.

const memory = new Map<string, string>()

export function read(name: string): string | undefined {
  try {
    return memory.get(name) ?? localStorage.getItem(name) ?? undefined
  } catch {
    return memory.get(name)
  }
}

export function write(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
    memory.delete(name)
  } catch {
    memory.set(name, value)
  }
}

export function remove(name: string): void {
  memory.delete(name)
  try {
    localStorage.removeItem(name)
  } catch {
    // Nothing was kept there.
  }
}

/** The names that begin so. */
export function names(beginning: string): string[] {
  const all = new Set(memory.keys())
  try {
    for (const name of Object.keys(localStorage)) all.add(name)
  } catch {
    // Nothing was kept there.
  }
  return [...all].filter((name) => name.startsWith(beginning)).sort()
}

/** A value that was written as JSON; undefined: there is none, or somebody else wrote there. */
export function readJson(name: string): unknown {
  const text = read(name)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
