/** A step that is being edited. The id stays with it wherever it goes. */
export interface DraftStep {
  id: number
  text: string
}

export const draftOf = (steps: string[]): DraftStep[] => steps.map((text, id) => ({ id, text }))

/** The steps as they are sent: a line each, without empty ones. */
export const stepsOf = (draft: DraftStep[]): string[] => draft.map(({ text }) => text.replace(/\s+/g, " ").trim()).filter((text) => text !== "")

export const isEdited = (draft: DraftStep[], steps: string[]): boolean => {
  const now = stepsOf(draft)
  return now.length !== steps.length || now.some((text, n) => text !== steps[n])
}

/** The draft with a step in another place; the same where it cannot go there. */
export function moved(draft: DraftStep[], from: number, to: number): DraftStep[] {
  const step = draft[from]
  if (!step || to < 0 || to >= draft.length) return draft
  const rest = draft.filter((_, n) => n !== from)
  return [...rest.slice(0, to), step, ...rest.slice(to)]
}

/** The draft with an empty step behind the one at a place, and that step. */
export function added(draft: DraftStep[], after: number): { draft: DraftStep[]; step: DraftStep } {
  const step = { id: Math.max(-1, ...draft.map(({ id }) => id)) + 1, text: "" }
  return { draft: [...draft.slice(0, after + 1), step, ...draft.slice(after + 1)], step }
}
