import { createContext, use } from "react"

import { createSession, sendMessage } from "../api/calls"
import type { Me } from "../api/types"
import { Outbox } from "../outbox/outbox"

/** Who is signed in, and what that person still has to send. */
export interface Account {
  me: Me
  outbox: Outbox
}

export const AccountContext = createContext<Account | undefined>(undefined)

export function useAccount(): Account {
  const account = use(AccountContext)
  if (!account) throw new Error("useAccount is for components inside the shell")
  return account
}

let opened: { user: number; outbox: Outbox } | undefined

/** The outbox of a user; the same one until somebody else signs in or the user signs out. */
export function openOutbox(user: number): Outbox {
  if (opened?.user !== user) {
    closeOutbox()
    opened = { user, outbox: new Outbox({ create: createSession, send: sendMessage }, `xbot.outbox.${user}`) }
  }
  return opened.outbox
}

export function closeOutbox(): void {
  opened?.outbox.close()
  opened = undefined
}
