import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"

import { countInbox, readInbox, readTalk, type Status } from "../../api/inbox"

/** Under which the page keeps everything of the inbox. */
export const inboxKey = ["inbox"]

/** Milliseconds between two looks at the number, and at what is open. A page that nobody sees does not look. */
const COUNT = 60_000
const OPEN = 5_000

export const countQuery = queryOptions({ queryKey: [...inboxKey, "count"], queryFn: countInbox, refetchInterval: COUNT, refetchOnWindowFocus: true, retry: false })

export const inboxQuery = (status: Status | "") =>
  infiniteQueryOptions({
    queryKey: [...inboxKey, "list", status],
    queryFn: ({ pageParam }) => readInbox(status, pageParam),
    initialPageParam: "",
    getNextPageParam: ({ items, more }) => (more ? items.at(-1)?.created_at : undefined),
    refetchInterval: COUNT,
  })

/** The conversations that somebody has taken. */
export const takenQuery = queryOptions({ queryKey: [...inboxKey, "taken"], queryFn: async () => (await readInbox("unread")).taken, refetchInterval: COUNT })

export const talkQuery = (service: string, conversation: string) =>
  queryOptions({ queryKey: [...inboxKey, "talk", service, conversation], queryFn: () => readTalk(service, conversation), refetchInterval: OPEN })
