import type { SubscribedModel } from "../api/models"
import { type ModelDraft, modelOf } from "./draft"

/** The server takes two ids that differ in case alone for one model. */
const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

export const isChosen = (chosen: ModelDraft[], id: string): boolean => chosen.some((model) => same(model.id, id))

/** The chosen models with one more, with what the provider told of it. What was said of a chosen one stays. */
export function withModel(chosen: ModelDraft[], id: string, offered: SubscribedModel[]): ModelDraft[] {
  const wanted = id.trim()
  if (wanted === "" || isChosen(chosen, wanted)) return chosen
  return [...chosen, modelOf(offered.find((model) => same(model.id, wanted)) ?? { id: wanted })]
}

export const withoutModel = (chosen: ModelDraft[], id: string): ModelDraft[] => chosen.filter((model) => !same(model.id, id))

/** The offered models whose names hold every word of a text. */
export function matching(offered: SubscribedModel[], text: string): SubscribedModel[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return offered.filter(({ id }) => words.every((word) => id.toLowerCase().includes(word)))
}

/** The provider gave a list, and the model is not on it. */
export const isUnlisted = (offered: SubscribedModel[], id: string): boolean => offered.length > 0 && !offered.some((model) => same(model.id, id))

/** The model that is tested unless somebody picks another one. */
export const firstToTest = (chosen: ModelDraft[]): string | undefined => (chosen.find(({ disabled }) => !disabled) ?? chosen[0])?.id
