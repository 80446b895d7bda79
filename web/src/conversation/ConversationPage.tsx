import { useParams } from "@tanstack/react-router"

import { OpenConversation } from "./OpenConversation"

/** The conversation that the address names. A new key is a new page: nothing of the old one is carried over. */
export function ConversationPage() {
  const { key } = useParams({ from: "/shell/c/$key" })
  return <OpenConversation key={key} sessionKey={key} />
}
