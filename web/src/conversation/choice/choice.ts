import type { Preset } from "../../api/permissions"
import type { Me, Session } from "../../api/types"

/** What is chosen for a conversation; an empty value follows what is set elsewhere. */
export interface Chosen {
  model: string
  think: string
  queue: NonNullable<Session["queue"]["mode"]> | ""
  preset: Preset | ""
  plan: boolean
}

export const nothingChosen: Chosen = { model: "", think: "", queue: "", preset: "", plan: false }

export const chosenOf = (session: Session | undefined): Chosen => ({
  model: session?.model ?? "",
  think: session?.think ?? "",
  queue: session?.queue.mode ?? "",
  preset: session?.preset ?? "",
  plan: session?.plan ?? false,
})

/** The model that answers, and who says so: this conversation, or what holds for all. */
export interface InForce {
  model: string
  from: "session" | "default"
}

export function modelInForce(chosen: string, fallback: string | undefined, me: Me): InForce {
  if (chosen !== "") return { model: chosen, from: "session" }
  return { model: fallback || me.model, from: "default" }
}

/** "openai/gpt-5" without its provider. */
export const shortName = (model: string): string => model.slice(model.lastIndexOf("/") + 1)
