import { useNavigate } from "@tanstack/react-router"
import { useEffect, useRef } from "react"

import { answerAction, type Refusal } from "../api/actions"
import type { ClientAction } from "../api/types"
import { useAccount } from "../app/account"
import { useShell } from "../app/shell-context"
import { sectionsOf } from "../settings/sections"
import { setTheme } from "../ui/theme"

interface Props {
  /** The conversation whose model asks. */
  sessionKey: string
  action: ClientAction
  /** The person is writing here. */
  typing: boolean
  details: { show: () => void; showContext: () => void; close: () => void }
  onFiles: (path?: string) => void
}

/** What was said to actions: one that is told again, since the answer got lost, is answered again and not done again. */
const answered = new Map<string, Refusal | undefined>()

/** Shows what a model wants to show, once, and tells the server. */
export default function Acted(props: Props) {
  const { action, sessionKey } = props
  const perform = usePerform(props)
  const latest = useRef(perform)
  useEffect(() => {
    latest.current = perform
  })
  useEffect(() => {
    const refused = answered.has(action.call_id) ? answered.get(action.call_id) : latest.current(action)
    answered.set(action.call_id, refused)
    answerAction(sessionKey, action.call_id, refused).catch(() => undefined) // the server asks again as long as it wants to know
  }, [action, sessionKey])
  return null
}

/** Returns what carries an action out, or says why not. */
function usePerform({ typing, details, onFiles }: Props): (action: ClientAction) => Refusal | undefined {
  const { me } = useAccount()
  const shell = useShell()
  const navigate = useNavigate()
  const open = (what: string | undefined, value: string): Refusal | undefined => {
    if (what === "todos") return openTodos()
    if (what === "files" && covered()) return "not_now"
    if (what !== "files" && (typing || covered())) return "not_now" // what the person does here comes first
    if (what === "files") onFiles(value || undefined)
    else if (what === "conversation") void navigate({ to: "/c/$key", params: { key: value } })
    else if (what !== "settings") return "not_supported"
    else if (value === "") void navigate({ to: "/settings/{-$section}" })
    else if (sectionsOf(me.user.role === "admin").some(({ id }) => id === value)) void navigate({ to: "/settings/{-$section}", params: { section: value } })
    else return "not_found"
    return undefined
  }
  const layout = (what: string | undefined, show: boolean): Refusal | undefined => {
    if (what === "details" || what === "context") {
      if (!show) details.close()
      else if (what === "details") details.show()
      else details.showContext()
    } else if (what === "sidebar" && show) shell.showSidebar()
    else if (what === "input" && show && !covered()) document.querySelector<HTMLElement>("#message")?.focus()
    else return what === "input" && show ? "not_now" : "not_supported"
    return undefined
  }
  return ({ action, what, value = "" }) => {
    if (action === "open") return open(what, value)
    if (action === "layout") return layout(what, value === "show")
    if (action === "theme" && (value === "light" || value === "dark" || value === "system")) setTheme(value === "system" ? "auto" : value)
    else return "not_supported"
    return undefined
  }
}

/** Something is open in front of the conversation, which may hold what is not saved. */
const covered = (): boolean => document.querySelector("[role=dialog], [role=alertdialog]") !== null

/** Unfolds the to-do list above the message box. */
function openTodos(): Refusal | undefined {
  const strip = document.querySelector<HTMLElement>("#todos")
  if (!strip) return "not_found"
  if (strip.getAttribute("aria-expanded") !== "true") strip.click()
  return undefined
}
