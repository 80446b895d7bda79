import { useNavigate } from "@tanstack/react-router"
import { useEffect, useRef } from "react"

import { useAccount } from "../account/account"
import { answerAction, type Refusal, takeAction } from "../api/actions"
import { Problem } from "../api/problem"
import type { ClientAction } from "../api/types"
import type { ClientActionsProps } from "../conversation/client-actions"
import { sectionsOf } from "../settings/sections"
import { useShell } from "../ui/shell-context"
import { setTheme } from "../ui/theme"

/** What was said to actions, or that one is being taken: one that is told again, since the answer got lost, is answered again and not done again. */
const answered = new Map<string, Refusal | "done" | "taking">()

/** How long the server waits for an answer, in ms. What this tab was asleep for is not done later. */
const lasts = 10_000

/** Shows what a model wants to show, once, and tells the server. */
export default function ClientActions(props: ClientActionsProps) {
  const { action, sessionKey } = props
  const perform = usePerform(props)
  const latest = useRef(perform)
  const at = useRef<string>(undefined)
  useEffect(() => {
    latest.current = perform
  })
  useEffect(() => {
    at.current = sessionKey
    return () => {
      at.current = undefined
    }
  }, [sessionKey])
  useEffect(() => {
    const call = action.call_id
    const told = Date.now()
    const answer = (said: Refusal | "done") => {
      answered.set(call, said)
      answerAction(sessionKey, call, said === "done" ? undefined : said).catch(() => undefined) // the server asks again as long as it wants to know
    }
    const before = answered.get(call)
    if (before === "taking") return
    if (before !== undefined) {
      answer(before)
      return
    }
    answered.set(call, "taking")
    takeAction(sessionKey, call).then(
      () => {
        if (Date.now() - told < lasts) answer(at.current === sessionKey ? (latest.current(action) ?? "done") : "not_now")
      },
      (error: unknown) => {
        if (error instanceof Problem && error.status === 0) answered.delete(call) // the server is away: it tells the action again
      },
    )
  }, [action, sessionKey])
  return null
}

/** Returns what carries an action out, or says why not. */
function usePerform({ typing, details, onFiles }: ClientActionsProps): (action: ClientAction) => Refusal | undefined {
  const { me } = useAccount()
  const shell = useShell()
  const navigate = useNavigate()
  const open = (what: string | undefined, value: string): Refusal | undefined => {
    if (typing || covered() || editing()) return "not_now" // what the person does here comes first
    if (what === "todos") return openTodos()
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
    else if (what === "input" && show && !covered() && !editing()) document.querySelector<HTMLElement>("#message")?.focus()
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

/** Something that the person fills in is open in the conversation, or has the cursor elsewhere. The message box has what it is for. */
function editing(): boolean {
  const at = document.activeElement
  const writes = at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement || (at instanceof HTMLElement && at.isContentEditable)
  return (writes && at.id !== "message") || document.querySelector("main :is(textarea, fieldset, input:not([type=file]), [contenteditable=true]):not(#message)") !== null
}

/** Unfolds the to-do list above the message box. */
function openTodos(): Refusal | undefined {
  const strip = document.querySelector<HTMLElement>("#todos")
  if (!strip) return "not_found"
  if (strip.getAttribute("aria-expanded") !== "true") strip.click()
  return undefined
}
