import { useEffect, useState } from "react"

import { useStore } from "../../lib/store"
import type { Conversation } from "../chat/conversation"
import { refreshList } from "../chat/list"
import { access, keyOfAddress } from "../lib/key"
import { useSay } from "../lib/language"
import { close, embedded } from "../lib/service"
import { go, opened, start } from "./address"
import { Chat } from "./Chat"
import { Head } from "./Head"
import { KeyForm } from "./KeyForm"
import { OtherKey } from "./OtherKey"
import { Sidebar } from "./Sidebar"
import { WithdrawnPage } from "./WithdrawnPage"

export function App() {
  const state = useStore(access)
  useEffect(escapes, [])
  useEffect(hearKeys, [])
  if (state === "withdrawn") return <WithdrawnPage />
  if (state !== "given") return <KeyForm refused={state === "refused"} />
  return <Visit />
}

/** A visitor with a key. */
function Visit() {
  const conversation = useStore(opened)
  useEffect(start, [])
  return conversation ? <Opened conversation={conversation} /> : null
}

/** The list of conversations, and the one that is open. */
function Opened({ conversation }: { conversation: Conversation }) {
  const say = useSay()
  const [drawer, setDrawer] = useState(false)
  const { id } = useStore(conversation.state)
  const choose = (next: string | undefined) => {
    setDrawer(false)
    go(next)
    focusMessage()
  }
  return (
    <div className="flex h-full">
      <a
        href="#message"
        onClick={(event) => {
          event.preventDefault() // the address says which conversation is open
          focusMessage()
        }}
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-overlay focus:px-3 focus:py-2 focus:shadow-overlay"
      >
        {say("app.skip")}
      </a>
      <OtherKey />
      <Sidebar open={id} drawer={drawer} onChoose={choose} onClose={() => setDrawer(false)} />
      <div className="flex min-w-0 flex-1 flex-col">
        <Head onMenu={() => setDrawer(true)} onNew={() => choose(undefined)} />
        <Chat conversation={conversation} onNew={() => choose(undefined)} />
      </div>
    </div>
  )
}

const focusMessage = () => requestAnimationFrame(() => document.getElementById("message")?.focus())

/** Escape closes the frame that the page stands in, where nothing inside of it is to be closed first. */
function escapes() {
  if (!embedded) return
  const heard = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.defaultPrevented && !event.isComposing && !document.querySelector("dialog[open]")) close()
  }
  addEventListener("keydown", heard)
  return () => removeEventListener("keydown", heard)
}

/** Somebody opens a link with a key where the page is open already. */
function hearKeys() {
  const heard = () => {
    keyOfAddress()
    refreshList()
  }
  addEventListener("hashchange", heard)
  return () => removeEventListener("hashchange", heard)
}
