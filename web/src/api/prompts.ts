// The calls about the parts of the system prompt that a person can change.
import { api, unwrap } from "./client"
import type { components } from "./schema"

type Schemas = components["schemas"]

export type Prompt = Schemas["Prompt"]
export type PromptEdit = Schemas["PromptEdit"]
export type PromptVersion = Schemas["PromptVersion"]

const at = (section: string) => ({ params: { path: { section } } })
const versionAt = (section: string, version: number) => ({ params: { path: { section, version } } })

/** The system prompt, then the sections of capabilities. */
export async function listPrompts(): Promise<Prompt[]> {
  const { prompts } = await unwrap(api.GET("/api/prompts"))
  return prompts ?? []
}

/** Adds a version. A conflict: there is a newer one than it was made from. */
export const savePrompt = (section: string, body: PromptEdit): Promise<Prompt> => unwrap(api.PUT("/api/prompts/{section}", { ...at(section), body }))

/** Has the installation's text again. */
export const resetPrompt = (section: string, version: number): Promise<Prompt> =>
  unwrap(api.DELETE("/api/prompts/{section}", { params: { path: { section }, query: { version } } }))

/** The newest first, without their texts. */
export async function listPromptVersions(section: string): Promise<PromptVersion[]> {
  const { versions } = await unwrap(api.GET("/api/prompts/{section}/versions", at(section)))
  return versions ?? []
}

export const readPromptVersion = (section: string, version: number): Promise<PromptVersion> => unwrap(api.GET("/api/prompts/{section}/versions/{version}", versionAt(section, version)))

export const notePromptVersion = (section: string, version: number, body: { label: string; note: string }) =>
  unwrap(api.PATCH("/api/prompts/{section}/versions/{version}", { ...versionAt(section, version), body }))

export const deletePromptVersion = (section: string, version: number) => unwrap(api.DELETE("/api/prompts/{section}/versions/{version}", versionAt(section, version)))

/** Puts an earlier version in force again. */
export const rollPromptBack = (section: string, to: number, version: number): Promise<Prompt> => unwrap(api.POST("/api/prompts/{section}/rollback", { ...at(section), body: { to, version } }))
