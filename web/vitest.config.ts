import { defineConfig } from "vitest/config"

// Vitest's reporter uses Map.groupBy to print failures; Node 20 has none.
const map = Map as unknown as { groupBy?: unknown }
map.groupBy ??= <T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> => {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return groups
}

// Without isolation files share a worker: most of the time went into starting one for each.
export default defineConfig({ test: { include: ["src/**/*.test.ts", "test/**/*.test.mjs"], isolate: false } })
