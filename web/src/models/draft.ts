import type { Price, SubscribedModel, Subscription, SubscriptionDraft } from "../api/models"
import type { Service } from "./services"

export type Think = NonNullable<SubscribedModel["think"]>

/** How much a model can be told to think, ascending; the first one leaves it alone. */
export const thinkLevels: Think[] = ["", "off", "minimal", "low", "medium", "high", "xhigh"]

/** A chosen model while somebody fills in what is known of it. */
export interface ModelDraft {
  id: string
  /** Other names, as they were typed. */
  names: string
  disabled: boolean
  /** Tokens. */
  context?: number
  output?: number
  /** Left out: what its name tells. */
  vision?: boolean
  think: Think
  /** USD for a million tokens, as far as it is filled in. */
  price: Partial<Price>
}

/** A subscription while somebody fills it in. */
export interface Draft {
  name: string
  provider: Subscription["provider"]
  api_type: Subscription["api_type"]
  base_url: string
  key: string
  /** The stored key is removed. */
  forget: boolean
  models: ModelDraft[]
  disabled: boolean
}

/** A name that no other subscription has: the one wanted, else with a number behind it. */
export function freeName(wanted: string, taken: string[]): string {
  let name = wanted
  for (let n = 2; taken.includes(name); n++) name = `${wanted}-${n}`
  return name
}

/** What a new subscription to a service begins with. */
export const emptyDraft = (service: Service, taken: string[]): Draft => ({
  name: freeName(service.name, taken),
  provider: service.provider,
  api_type: "chat_completions",
  base_url: service.address,
  key: "",
  forget: false,
  models: [],
  disabled: false,
})

/** The draft for another service. A key and models belong to the one before; a name that somebody made up stays. */
export function withService(draft: Draft, before: Service, service: Service, taken: string[]): Draft {
  const made = draft.name !== "" && draft.name !== freeName(before.name, taken)
  const fresh = emptyDraft(service, taken)
  return { ...fresh, name: made ? draft.name : fresh.name, disabled: draft.disabled }
}

/** A model as the provider tells of it. */
export const modelOf = ({ id, alias, disabled, max_context, max_output, vision, think, price }: SubscribedModel): ModelDraft => ({
  id,
  names: (alias ?? []).join(", "),
  disabled: disabled ?? false,
  context: known(max_context),
  output: known(max_output),
  vision: vision ?? undefined,
  think: think ?? "",
  price: price ?? {},
})

/** The server writes 0 where nothing is known. */
const known = (size: number | undefined): number | undefined => (size === 0 ? undefined : size)

export const draftOf = ({ name, provider, api_type, base_url, models, enabled }: Subscription): Draft => ({
  name,
  provider,
  api_type,
  base_url,
  key: "",
  forget: false,
  models: models.map(modelOf),
  disabled: !enabled,
})

/** What the server is told. */
export function bodyOf(draft: Draft, shared: boolean, revision: number | undefined): SubscriptionDraft {
  const { provider, api_type, forget, disabled } = draft
  return {
    shared,
    name: draft.name.trim(),
    provider,
    api_type: provider === "anthropic" ? "chat_completions" : api_type,
    base_url: draft.base_url.trim(),
    key: forget ? "" : draft.key.trim(),
    forget,
    models: draft.models.map(toldModel),
    disabled,
    revision: revision ?? 0,
  }
}

function toldModel({ id, names, disabled, context, output, vision, think, price }: ModelDraft): SubscribedModel {
  const alias = names.split(/[\s,，、]+/).filter(Boolean)
  return { id, alias, disabled, max_context: context ?? 0, max_output: output ?? 0, vision, think, price: wholePrice(price) }
}

/** Nothing filled in: not known. What the cache serves costs as much as the rest unless somebody says otherwise. */
function wholePrice({ input, cached, output }: Partial<Price>): Price | undefined {
  if (input === undefined && cached === undefined && output === undefined) return undefined
  return { input: input ?? 0, cached: cached ?? input ?? 0, output: output ?? 0 }
}

/** What a test and a list of models are about: when it changes they say nothing any more. */
const connection: (keyof Draft)[] = ["provider", "api_type", "base_url", "key", "forget"]

export const reconnects = (change: Partial<Draft>): boolean => connection.some((field) => field in change)
