import { useQuery } from "@tanstack/react-query"
import { useEffect } from "react"

import { readSession } from "../../api/context"
import { reread } from "../../api/query-client"
import type { FeedState } from "../feed/state"
import { type Fill, fillOf } from "./fill"
import { contextKey } from "./queries"

/** How full the context of a conversation is, asked again whenever a message comes or goes and when a turn ends. */
export function useFill(key: string, feed: FeedState, running?: string): Fill | undefined {
  const epoch = `${feed.messages.length} ${feed.messages.at(-1)?.id} ${running}`
  const { data } = useQuery({ queryKey: contextKey(key, "fill"), queryFn: () => readSession(key), enabled: feed.loaded, retry: false })
  useEffect(() => void reread(["context", key]), [key, epoch])
  return fillOf(data ?? feed.session)
}
