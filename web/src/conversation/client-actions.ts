import type { ClientAction } from "../api/types"

/** What carries out the actions that a model asks of the page gets from the open conversation. */
export interface ClientActionsProps {
  /** The conversation whose model asks. */
  sessionKey: string
  action: ClientAction
  /** The user is writing here. */
  typing: boolean
  details: { show: () => void; showContext: () => void; close: () => void }
  onFiles: (path?: string) => void
}
