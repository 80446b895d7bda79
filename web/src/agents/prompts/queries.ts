import { queryOptions } from "@tanstack/react-query"

import { listPrompts, listPromptVersions, readPromptVersion } from "../../api/prompts"

export const promptsQuery = queryOptions({ queryKey: ["prompts"], queryFn: listPrompts })

export const promptVersionsQuery = (section: string) => queryOptions({ queryKey: ["prompts", section, "versions"], queryFn: () => listPromptVersions(section) })

/** Texts of versions never change; version 0 has none. */
export const promptTextQuery = (section: string, version: number) =>
  queryOptions({ queryKey: ["prompt text", section, version], queryFn: () => readPromptVersion(section, version), staleTime: Infinity, enabled: version > 0 })
