import type { Inquiry } from "../../api/types"

/** What is entered so far for one question. */
export interface Draft {
  chosen: string[]
  text: string
}

export const draftOf = (): Draft => ({ chosen: [], text: "" })

/** One answer at most takes the place of another one: an option that of words, and words that of an option. */
export function chose({ multi }: Inquiry, draft: Draft, label: string): Draft {
  if (!multi) return { chosen: [label], text: "" }
  const chosen = draft.chosen.includes(label) ? draft.chosen.filter((other) => other !== label) : [...draft.chosen, label]
  return { ...draft, chosen }
}

export function wrote({ multi }: Inquiry, draft: Draft, text: string): Draft {
  return { chosen: multi || text.trim() === "" ? draft.chosen : [], text }
}

const answersOf = ({ options }: Inquiry, { chosen, text }: Draft): string[] => {
  const inOrder = (options ?? []).map(({ label }) => label).filter((label) => chosen.includes(label))
  return text.trim() === "" ? inOrder : [...inOrder, text.trim()]
}

export const complete = (question: Inquiry, draft: Draft | undefined): boolean =>
  question.optional === true || Boolean(question.default) || (draft !== undefined && answersOf(question, draft).length > 0)

/** The answers as the server takes them: by the name of the question, options in their order. */
export const given = (questions: Inquiry[], drafts: Draft[]): Record<string, string[]> =>
  Object.fromEntries(questions.map((question, n) => [question.name, answersOf(question, drafts[n] ?? draftOf())]))
