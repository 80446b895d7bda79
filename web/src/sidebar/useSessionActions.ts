import { useMutation } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"

import { deleteSession } from "../api/calls"
import { refreshSessions } from "../api/queries"
import { queryClient } from "../api/query-client"
import { changeSession } from "../api/routing"
import type { Session } from "../api/types"
import { forgetConversation } from "../conversation/feed/conversation"
import { markSeen } from "../conversation/feed/unread"
import { forgetDraft } from "../outbox/drafts"

/** Puts a changed session into every list that shows it, before the lists are read again. */
function replace(changed: Session): void {
  queryClient.setQueriesData<Session[]>({ queryKey: ["sessions"] }, (sessions) =>
    sessions?.map((session) => (session.key === changed.key ? changed : session)),
  )
}

/** Renaming, pinning, archiving and deleting one session. */
export function useSessionActions(session: Session) {
  const navigate = useNavigate()
  const { key: openKey } = useParams({ strict: false })
  const change = useMutation({
    mutationFn: (body: { title?: string; pinned?: boolean; shelf?: "" | "archived" }) => changeSession(session.key, body),
    onSuccess: (changed) => {
      markSeen(changed.key, changed.seq) // one's own change is no news
      replace(changed)
      refreshSessions()
    },
  })
  const remove = useMutation({
    mutationFn: () => deleteSession(session.key),
    onSuccess: async () => {
      if (openKey === session.key) await navigate({ to: "/" })
      forgetConversation(session.key)
      forgetDraft(session.key)
      refreshSessions()
    },
  })
  return { change, remove }
}
