import { closeOutbox } from "../../account/account"
import { logout } from "../../api/calls"
import { Problem } from "../../api/problem"
import { queryClient } from "../../api/query-client"
import { forgetConversations } from "../../conversation/feed/conversation"

/** Forgets what belonged to the person who was signed in. Unsent words stay, under that person's own name. */
export function leave(): void {
  closeOutbox()
  forgetConversations()
  queryClient.clear()
}

/** Signs out on the server. A session that is gone already counts as signed out. */
export async function signOut(): Promise<void> {
  try {
    await logout()
  } catch (error) {
    if (!(error instanceof Problem && error.status === 401)) throw error
  }
  leave()
}
