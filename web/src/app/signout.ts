import { logout } from "../api/calls"
import { Problem } from "../api/problem"
import { forgetConversations } from "../feed/conversation"
import { closeOutbox } from "./account"
import { queryClient } from "./query-client"

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
