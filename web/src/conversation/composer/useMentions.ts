import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useDeferredValue, useMemo } from "react"

import { searchFiles } from "../../api/files"
import { mentionsOf, typedMention } from "./mentions"
import type { Option } from "./options"

/** The files that an @ at the end of the text may mean, where the conversation works. */
export function useMentions(key: string | undefined, text: string): Option[] {
  const typed = typedMention(text)
  const asked = useDeferredValue(typed)
  const { data } = useQuery({
    queryKey: ["found", key, asked],
    queryFn: () => searchFiles(key ?? "", asked ?? ""),
    enabled: key !== undefined && asked !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 5000,
    retry: false,
  })
  return useMemo(() => (typed === undefined || !data ? [] : mentionsOf(text, data.folder, data.paths)), [typed, text, data])
}
