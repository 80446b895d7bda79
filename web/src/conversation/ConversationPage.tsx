import { useParams } from "@tanstack/react-router"
import type { ComponentType } from "react"

import type { ClientActionsProps } from "./client-actions"
import { OpenConversation } from "./OpenConversation"

/** The conversation that the address names. A new key is a new page: nothing of the old one is carried over. */
export function ConversationPage({ Actions }: { Actions: ComponentType<ClientActionsProps> }) {
  const { key } = useParams({ from: "/shell/c/$key" })
  return <OpenConversation key={key} sessionKey={key} Actions={Actions} />
}
