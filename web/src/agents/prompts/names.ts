import type { PromptWord } from "../../i18n/prompts"
import type { Say } from "../../i18n/table"

const names: Record<string, PromptWord> = { system: "system", skills: "ofSkills", agents: "ofAgents", memory: "ofMemory", soul: "ofSoul", recent: "ofRecent", documents: "ofDocuments", web: "ofWeb", image: "ofImage", speech: "ofSpeech", video: "ofVideo", scheduler: "ofScheduler", humanchat: "ofHumanChat" }

/** What people call a section. One that the page does not know is called as the server does. */
export function nameOf(say: Say<PromptWord>, section: string): string {
  const word = names[section]
  if (word) return say(word)
  return section.startsWith("channel_") ? say("ofChannel", { channel: section.slice("channel_".length) }) : section
}
