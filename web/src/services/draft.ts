import type { Service, ServiceChange } from "../api/services"

/** What a service can do beside talking, in the order of the form. */
export const CAPABILITIES = ["web", "image", "speech", "video", "scheduler", "humanchat"] as const

/** A service as it is filled in. Lists are one entry a line. */
export interface Filled {
  name: string
  description: string
  model: string
  prompt: number
  profile: number
  docs: string
  scripts: string
  can: string[]
  welcome: string
  questions: string
  origins: string
  conversations: string
  perMinute: string
  concurrent: string
  perDay: string
  pictures: string
  characters: string
  seconds: string
  published: boolean
}

/** What a part of the form gets. */
export interface PartProps {
  filled: Filled
  set: (change: Partial<Filled>) => void
}

export const nothing: Filled = {
  name: "", description: "", model: "", prompt: 0, profile: 0, docs: "*", scripts: "*", can: [], welcome: "", questions: "", origins: "",
  conversations: "1000", perMinute: "60", concurrent: "4", perDay: "0", pictures: "100", characters: "100000", seconds: "60", published: true,
}

export const filledFrom = (s: Service): Filled => ({
  name: s.name, description: s.description, model: s.model, prompt: s.system_prompt_version_id, profile: s.user_profile_version_id,
  docs: s.allowed_docs.join("\n"), scripts: s.allowed_scripts.join("\n"), can: s.capabilities, welcome: s.welcome_message,
  questions: s.quick_questions.join("\n"), origins: s.origins.join("\n"), conversations: String(s.max_conversations),
  perMinute: String(s.limits.requests_per_minute), concurrent: String(s.limits.concurrent), perDay: String(s.limits.tokens_per_day),
  pictures: String(s.limits.pictures_per_day), characters: String(s.limits.speech_characters_per_day), seconds: String(s.limits.video_seconds_per_day), published: s.published,
})

/** The lines of a text that hold something. */
export const lines = (text: string): string[] => text.split("\n").map((line) => line.trim()).filter((line) => line !== "")

/** The numbers of the form, in its order. */
export const LIMITS = ["conversations", "perMinute", "concurrent", "perDay", "pictures", "characters", "seconds"] as const

type LimitName = (typeof LIMITS)[number]

/** Which of the numbers is none that can be; undefined: all can. */
export function wrongNumber({ conversations, perMinute, concurrent, ...perDay }: Filled): LimitName | undefined {
  if (!within(conversations, 1, 100_000)) return "conversations"
  if (!within(perMinute, 1, 100_000)) return "perMinute"
  if (!within(concurrent, 1, 1_000)) return "concurrent"
  return (["perDay", "pictures", "characters", "seconds"] as const).find((one) => !within(perDay[one], 0, Number.MAX_SAFE_INTEGER))
}

const within = (text: string, least: number, most: number) => /^\d+$/.test(text.trim()) && Number(text) >= least && Number(text) <= most

/** What the server is told. `revision`: of the service that it was made from; 0: a new one. */
export const bodyOf = (f: Filled, revision: number): ServiceChange => ({
  name: f.name.trim(), description: f.description, model: f.model, system_prompt_version_id: f.prompt, user_profile_version_id: f.profile,
  allowed_docs: lines(f.docs), allowed_scripts: lines(f.scripts), capabilities: f.can, welcome_message: f.welcome, quick_questions: lines(f.questions),
  origins: lines(f.origins), max_conversations: Number(f.conversations),
  limits: { requests_per_minute: Number(f.perMinute), concurrent: Number(f.concurrent), tokens_per_day: Number(f.perDay),
    pictures_per_day: Number(f.pictures), speech_characters_per_day: Number(f.characters), video_seconds_per_day: Number(f.seconds) }, published: f.published, revision,
})

/** The line that shows a service on another site. */
export const embedLine = (page: string): string => `<script src="${location.origin}${page}/embed.js" async></script>`
