import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"

import { listCommands } from "../api/context"
import type { ServerCommand } from "../api/types"
import { useLanguage, useT } from "../i18n"
import { allCommands, type Command } from "./commands"

const none: ServerCommand[] = []

/** The commands that can be typed. Those of the server are read when somebody wants to see them. */
export function useCommands(wanted: boolean): Command[] {
  const t = useT()
  const language = useLanguage()
  const { data = none } = useQuery({ queryKey: ["commands"], queryFn: listCommands, enabled: wanted, staleTime: 5 * 60_000 })
  return useMemo(() => allCommands(t, language, data), [t, language, data])
}
