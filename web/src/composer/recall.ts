/**
 * Walks through what was sent before, like a shell does. `at` counts back from the newest entry, 0 being the box's own
 * text; the returned text belongs to the new place.
 */
export function recall(sent: string[], at: number, step: 1 | -1): { at: number; text: string } | undefined {
  const next = at + step
  if (next < 0 || next > sent.length) return undefined
  return { at: next, text: next === 0 ? "" : (sent.at(-next) ?? "") }
}
