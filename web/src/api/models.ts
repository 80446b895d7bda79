// The calls about the models that answer: which there are, which a person chose, and the subscriptions that they come from.
import { api, unwrap } from "./client"
import type { components } from "./schema"

type Schemas = components["schemas"]

/** A model that a conversation may choose. */
export type Model = Omit<Schemas["Model"], "alias" | "available"> & {
  alias: string[]
  /** It can be asked: its key is there, or only the worker knows. */
  available: boolean
}

/** The models that can be chosen, and how much they can be told to think. */
export interface Catalogue {
  models: Model[]
  think: string[]
}

export async function listModels(): Promise<Catalogue> {
  const { models, think } = await unwrap(api.GET("/api/models"))
  return { models: (models ?? []).map((model) => ({ ...model, alias: model.alias ?? [], available: model.available ?? true })), think: think ?? [] }
}

/** Which models a person chose for all conversations. */
export type ModelChoice = Schemas["Choice"]
export type ModelChoiceChange = Schemas["ChoiceChange"]

export const readModelChoice = (): Promise<ModelChoice> => unwrap(api.GET("/api/models/choice"))

/** Changes what is named; an empty word is the installation's model. */
export const chooseModels = (body: ModelChoiceChange): Promise<ModelChoice> => unwrap(api.PATCH("/api/models/choice", { body }))

export type Price = Schemas["Price"]
/** A model of a subscription, with what is known of it. */
export type SubscribedModel = Schemas["SubscribedModel"]
/** What a subscription is to be, its key included. */
export type SubscriptionDraft = Schemas["SubscriptionDraft"]

/** An account at a provider of models, without its key. */
export type Subscription = Omit<Schemas["Subscription"], "models"> & { models: SubscribedModel[] }

const subscriptionOf = (subscription: Schemas["Subscription"]): Subscription => ({ ...subscription, models: subscription.models ?? [] })

/** A person's own; administrators see those of the installation, too. */
export async function listSubscriptions(): Promise<Subscription[]> {
  const { subscriptions } = await unwrap(api.GET("/api/subscriptions"))
  return (subscriptions ?? []).map(subscriptionOf)
}

/** Makes a subscription, or changes the one of an id. A conflict: it was changed meanwhile, or its name is taken. */
export async function saveSubscription(id: number | undefined, body: SubscriptionDraft): Promise<Subscription> {
  if (id === undefined) return subscriptionOf(await unwrap(api.POST("/api/subscriptions", { body })))
  return subscriptionOf(await unwrap(api.PUT("/api/subscriptions/{id}", { params: { path: { id } }, body })))
}

/** Removes a subscription and its key. */
export const deleteSubscription = (id: number) => unwrap(api.DELETE("/api/subscriptions/{id}", { params: { path: { id } } }))

/** What one short call has shown. */
export type Tried = Schemas["Tried"]

/** Makes one short call of a model as a draft says it; of the stored subscription of an id, whose key stays. Up to a minute. */
export const trySubscription = (id: number | undefined, draft: SubscriptionDraft, model: string): Promise<Tried> =>
  unwrap(api.POST("/api/subscriptions/try", { body: { ...draft, id, model } }))

/** What a provider offers, or why it does not say. */
export interface Offered {
  models: SubscribedModel[]
  problem?: string
}

/** Asks a provider which models it offers. Up to a minute. */
export async function askOffered(id: number | undefined, draft: SubscriptionDraft): Promise<Offered> {
  const { models, problem } = await unwrap(api.POST("/api/subscriptions/offered", { body: { ...draft, id } }))
  return { models: models ?? [], problem }
}
