import { createContext, use } from "react"

import type { Task, Todo } from "../../api/types"
import type { Link } from "../feed/conversation"

/** What the parts of an open conversation share. */
export interface ConversationContextValue {
  sessionKey: string
  link: Link
  /** The connection was lost and made again since the page was opened. */
  reconnected: boolean
  /** A stop was asked for and the turn has not ended yet. */
  stopping: boolean
  /** Milliseconds that the server's clock is ahead of this machine's. */
  skew: number
  /** It is a conversation among agents, whose answers go to no channel. */
  among: boolean
  /** Opens the details of a turn, of the last one where none is named. */
  showDetails: (turn?: string) => void
  /** Opens the files where the conversation works, at one of them or at the folder. */
  openFile: (path?: string) => void
  /** Background tasks, newest first. */
  tasks: Task[]
  /** The to-do list of the conversation. */
  todos: Todo[]
  /** Opens a background task. */
  showTask: (id: string) => void
}

export const ConversationContext = createContext<ConversationContextValue | undefined>(undefined)

export function useConversationContext(): ConversationContextValue {
  const value = use(ConversationContext)
  if (!value) throw new Error("useConversationContext is for parts of an open conversation")
  return value
}
