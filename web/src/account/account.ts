import { createContext, use } from "react"

import { createSession, sendMessage } from "../api/calls"
import { changeSession, type SessionChange } from "../api/routing"
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

/** Makes a session with what was chosen for it. Doing so again changes nothing. */
async function begin(key: string, setup?: SessionChange): Promise<void> {
  await createSession(key)
  if (setup) await changeSession(key, setup)
}

let opened: { user: number; outbox: Outbox } | undefined

/** The outbox of a user; the same one until somebody else signs in or the user signs out. */
export function openOutbox(user: number): Outbox {
  if (opened?.user !== user) {
    closeOutbox()
    opened = { user, outbox: new Outbox({ create: begin, send: sendMessage }, `xbot.outbox.${user}`) }
  }
  return opened.outbox
}

export function closeOutbox(): void {
  opened?.outbox.close()
  opened = undefined
}
