import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"

import { useAccount } from "../../account/account"
import { listCommands } from "../../api/context"
import { modelsQuery, runnersQuery } from "../../api/queries"
import type { ServerCommand } from "../../api/types"
import { useLanguage, useT } from "../../i18n"
import { allCommands, type Command, type Names, wantsModels, wantsRunners } from "./commands"

const none: ServerCommand[] = []
const noNames: string[] = []

/** The commands that can be typed. Those of the server are read when somebody wants to see them. */
export function useCommands(wanted: boolean): Command[] {
  const t = useT()
  const language = useLanguage()
  const { me } = useAccount()
  const { data = none } = useQuery({ queryKey: ["commands"], queryFn: listCommands, enabled: wanted, staleTime: 5 * 60_000 })
  return useMemo(() => allCommands(t, language, data, me.user.role === "admin"), [t, language, data, me])
}

/** The names that may stand behind the command in a text, read once somebody wants them: of models first the short ones. */
export function useNames(text: string): Names {
  const { data: catalogue } = useQuery({ ...modelsQuery, enabled: wantsModels(text) })
  const { data: fleet } = useQuery({ ...runnersQuery, enabled: wantsRunners(text) })
  return useMemo(
    () => ({
      models: catalogue?.models.filter((model) => model.available).flatMap((model) => [...model.alias, model.id]) ?? noNames,
      runners: fleet?.runners ?? [],
    }),
    [catalogue, fleet],
  )
}
