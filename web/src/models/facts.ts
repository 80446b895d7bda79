import type { Price } from "../api/models"
import type { Language } from "../i18n"
import { money, tokens } from "../i18n/format"
import type { ModelsWord } from "../i18n/models"
import type { Say } from "../i18n/table"

interface Known {
  /** Tokens. */
  context?: number
  vision?: boolean
  price?: Partial<Price>
}

/** What is known of a model, in a few words each. */
export function factsOf(say: Say<ModelsWord>, language: Language, { context, vision, price }: Known): string[] {
  const usd = (amount: number | undefined) => money(language, "USD", amount ?? 0)
  const priced = price?.input !== undefined || price?.output !== undefined
  return [
    context ? say("context", { size: tokens(language, context) }) : "",
    vision ? say("pictures") : "",
    priced ? say("price", { input: usd(price.input), output: usd(price.output) }) : "",
  ].filter(Boolean)
}
