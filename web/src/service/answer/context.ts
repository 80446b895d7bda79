import { createContext } from "react"

/** The conversation whose files an answer shows; undefined: it has none yet. */
export const ConversationId = createContext<string | undefined>(undefined)
