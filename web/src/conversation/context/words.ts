import type { Language, Translate } from "../../i18n"
import { tokens } from "../../i18n/format"

const triggers = ["auto", "too_long", "exceeded", "manual"] as const
const methods = ["model", "extract"] as const

/** Why a compression was made. Reasons that this page does not know are shown as they are. */
export function triggerOf(t: Translate, trigger: string): string {
  const known = triggers.find((name) => name === trigger)
  return known ? t(`compaction.trigger_${known}`) : trigger
}

/** How a summary was made. */
export function methodOf(t: Translate, method: string): string {
  const known = methods.find((name) => name === method)
  return known ? t(`compaction.method_${known}`) : method
}

/** "38 k of 200 k tokens". */
export function fillWords(t: Translate, language: Language, used: number, max: number): string {
  return t("context.fill", { used: tokens(language, used), max: tokens(language, max) })
}
