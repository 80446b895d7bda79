import { Hand } from "lucide-react"
import { type KeyboardEvent, lazy, type RefObject, type SubmitEvent, Suspense, useEffect, useId, useRef, useState } from "react"

import type { ToolRule } from "../../api/permissions"
import type { ToolCall } from "../../api/types"
import { useT } from "../../i18n"
import { Button } from "../../ui/Button"
import { UnifiedDiff } from "../../ui/text/UnifiedDiff"
import { ArgumentList } from "./Arguments"
import { mainArgument, readArguments } from "./arguments"
import { useFocusBack } from "./useFocusBack"

const CallEditor = lazy(() => import("./CallEditor"))

export interface Answer {
  decision?: "allow" | "deny"
  answers?: Record<string, string[]>
  note?: string
  always?: boolean
  /** What the call is to have in place of what the model wrote. */
  arguments?: Record<string, unknown>
}

interface Props {
  call: ToolCall
  reason?: string
  /** What it says instead of the question to whoever reads it. */
  title?: string
  /** The rules that "always" sets; none: it is not offered. */
  always?: ToolRule[]
  /** Whether whoever reads it may answer. */
  answers?: boolean
  /** An answer is on its way or was accepted. */
  answering: boolean
  onAnswer: (answer: Answer) => void
}

/** Longest note, in characters. */
const LONGEST_NOTE = 500

/** What wants to run and why, with the answers. The keys A and D work while the card, or nothing, has the focus. */
export function ApprovalCard({ call, reason, title, always = [], answers = true, answering, onAnswer }: Props) {
  const t = useT()
  const id = useId()
  const card = useRef<HTMLDivElement>(null)
  const [denying, setDenying] = useState(false)
  const [editing, setEditing] = useState(false)
  const answer = (given: Answer) => {
    if (!answering) onAnswer(given)
  }
  const press = (key: string): boolean => {
    if (!answers || editing) return false
    if (key === "a") answer({ decision: "allow" })
    else if (key === "d") setDenying(true)
    else return false
    return true
  }
  useKeysOfPage(card, press)
  useFocusBack(card)
  const onKeyDown = (event: KeyboardEvent) => {
    if (isPlain(event) && !(event.target instanceof HTMLInputElement) && press(event.key.toLowerCase())) event.preventDefault()
  }
  return (
    <div
      ref={card}
      data-approval={answers ? "" : undefined}
      role="group"
      tabIndex={-1}
      aria-labelledby={id}
      onKeyDown={onKeyDown}
      className="rounded-lg border border-warn bg-overlay p-4 shadow-field"
    >
      <p id={id} className="flex items-center gap-2.5 font-medium">
        <Hand size={17} aria-hidden className="shrink-0 text-warn" />
        {title ?? t("approval.title", { tool: call.name })}
      </p>
      {editing ? (
        <Suspense>
          <CallEditor call={call} answering={answering} onCancel={() => setEditing(false)} onRun={(changed) => answer({ decision: "allow", arguments: changed })} />
        </Suspense>
      ) : call.approval?.preview ? <UnifiedDiff diff={call.approval.preview} label={t("approval.changes")} /> : <Wanted call={call} />}
      {reason && <p className="mt-3 break-words text-ink-2">{t("approval.reason", { reason })}</p>}
      {!answers || editing ? null : denying ? (
        <Denial answering={answering} onCancel={() => setDenying(false)} onDeny={(note) => answer({ decision: "deny", note })} />
      ) : (
        <div className="mt-4 flex flex-wrap gap-2">
          <Button look="primary" aria-keyshortcuts="A" aria-disabled={answering} onClick={() => answer({ decision: "allow" })}>
            {t("approval.allow")} <Key name="A" />
          </Button>
          <Button aria-keyshortcuts="D" aria-disabled={answering} onClick={() => setDenying(true)}>
            {t("approval.deny")} <Key name="D" />
          </Button>
          {!call.approval?.deferred && (
            <Button look="quiet" onClick={() => setEditing(true)}>
              {t("approval.edit")}
            </Button>
          )}
          {always.length > 0 && (
            <Button look="quiet" className="max-w-full" aria-disabled={answering} onClick={() => answer({ decision: "allow", always: true })}>
              <span className="truncate">{t("approval.always", { what: always.map(({ tool, pattern }) => pattern || tool).join(", ") })}</span>
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

/** The whole command or path in the open, everything else by name. */
function Wanted({ call }: { call: ToolCall }) {
  const t = useT()
  const list = (readArguments(call.arguments) ?? []).filter(({ name }) => name !== "reason")
  const main = mainArgument(list) ?? { name: "", value: call.summary || call.arguments }
  const others = list.filter(({ name }) => name !== main.name)
  return (
    <div className="mt-3 space-y-3">
      <pre
        tabIndex={0}
        role="group"
        aria-label={t("approval.wanted")}
        className="max-h-60 overflow-auto rounded-md bg-sunken px-3.5 py-2.5 font-mono text-small break-words whitespace-pre-wrap -outline-offset-2"
      >
        {main.value}
      </pre>
      <ArgumentList list={others} />
    </div>
  )
}

function Denial({ answering, onDeny, onCancel }: { answering: boolean; onDeny: (note: string) => void; onCancel: () => void }) {
  const t = useT()
  const [note, setNote] = useState("")
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    onDeny(note.trim())
  }
  return (
    <form
      className="mt-4 flex flex-wrap gap-2"
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === "Escape") onCancel()
      }}
    >
      <input
        autoFocus
        aria-label={t("approval.note")}
        placeholder={t("approval.note")}
        value={note}
        maxLength={LONGEST_NOTE}
        onChange={(event) => setNote(event.target.value)}
        className="h-9 min-w-40 flex-1 rounded-md border border-line-strong bg-canvas px-3 placeholder:text-ink-3"
      />
      <Button type="submit" look="danger" aria-disabled={answering}>
        {t("approval.deny")}
      </Button>
      <Button look="quiet" onClick={onCancel}>
        {t("common.cancel")}
      </Button>
    </form>
  )
}

function Key({ name }: { name: string }) {
  return (
    <kbd aria-hidden className="hidden rounded-sm border border-current px-1 font-sans text-small leading-4 md:inline">
      {name}
    </kbd>
  )
}

const isPlain = (event: { ctrlKey: boolean; metaKey: boolean; altKey: boolean; repeat: boolean }) =>
  !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat

/** Keys that are pressed while nothing has the focus are for the first open question of the page. */
function useKeysOfPage(card: RefObject<HTMLElement | null>, press: (key: string) => boolean): void {
  useEffect(() => {
    const pressed = (event: globalThis.KeyboardEvent) => {
      const first = document.querySelector("[data-approval]") === card.current
      if (!first || document.activeElement !== document.body || !isPlain(event)) return
      if (press(event.key.toLowerCase())) event.preventDefault()
    }
    window.addEventListener("keydown", pressed)
    return () => window.removeEventListener("keydown", pressed)
  })
}
