import { Link } from "@tanstack/react-router"
import { Mic } from "lucide-react"
import { lazy, type ReactNode, Suspense, useEffect } from "react"

import { dictationWords } from "../../../i18n/dictation"
import { useTable } from "../../../i18n/table"
import { cx } from "../../../lib/cx"
import { useNow } from "../../../lib/useNow"
import { IconButton } from "../../../ui/IconButton"
import { type Dictation as State, useDictation } from "./useDictation"

const Voice = lazy(() => import("../../voice/Voice"))

/**
 * Dictation into the message box, and the button of voice mode in an existing conversation. Browsers offer the microphone over https and on
 * localhost.
 */
export default function Dictation({ sessionKey }: { sessionKey?: string }) {
  const able = "MediaRecorder" in window && (navigator as Partial<Navigator>).mediaDevices !== undefined
  if (!able) return null
  return (
    <>
      <Suspense>{sessionKey !== undefined && <Voice key={sessionKey} sessionKey={sessionKey} />}</Suspense>
      <Microphone />
    </>
  )
}

function Microphone() {
  const say = useTable(dictationWords)
  const { state, press, drop, again } = useDictation()
  const { at } = state
  useEscape(at === "recording" || at === "asking" || at === "writing", drop)
  return (
    <>
      {at !== "rest" && (
        <Bubble alarm={at === "failed"}>
          <Words state={state} />
          {at === "failed" && state.why === "noKey" && (
            <Link to="/settings/{-$section}" params={{ section: "models" }} className={link}>
              {say("settings")}
            </Link>
          )}
          {at === "failed" && state.kept && <Act label={say("again")} onClick={() => state.kept && again(state.kept)} />}
          <Act label={say(at === "failed" ? "close" : at === "recording" ? "discard" : "cancel")} onClick={drop} />
        </Bubble>
      )}
      <IconButton
        round
        label={say(at === "recording" ? "stop" : "dictate")}
        aria-pressed={at === "recording"}
        aria-disabled={at === "asking" || at === "writing"}
        onClick={press}
        className={cx("aria-disabled:opacity-50", at === "recording" && "bg-danger-soft text-danger")}
      >
        <Mic size={17} aria-hidden />
      </IconButton>
    </>
  )
}

const link = "shrink-0 font-medium text-accent underline underline-offset-4"

function Act({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" className={link} onClick={onClick}>
      {label}
    </button>
  )
}

/** Stands over the message box: what goes on, or went wrong. */
function Bubble({ alarm, children }: { alarm: boolean; children: ReactNode }) {
  return (
    <div
      role={alarm ? "alert" : "status"}
      className="absolute right-0 bottom-full z-10 mb-2 flex max-w-full flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line-strong bg-overlay px-3 py-2 text-small shadow-field"
    >
      {children}
    </div>
  )
}

function Words({ state }: { state: State }) {
  const say = useTable(dictationWords)
  if (state.at === "recording") return <Recorded since={state.since} />
  if (state.at === "failed") return <span className="min-w-0 break-words">{say(state.why, { reason: state.reason })}</span>
  return <span>{say(state.at === "writing" ? "writing" : "asking")}</span>
}

/** How long it has been recording. The time is not read aloud each second. */
function Recorded({ since }: { since: number }) {
  const say = useTable(dictationWords)
  const seconds = Math.max(0, Math.floor((useNow(true) - since) / 1000))
  return (
    <span className="inline-flex items-center gap-2">
      <span className="size-2 rounded-full bg-danger" aria-hidden />
      {say("recording")}
      <time aria-hidden className="tabular-nums">{`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`}</time>
      <span className="text-ink-3">{say("escape")}</span>
    </span>
  )
}

/** Escape drops what goes on, before anything else hears of it; what is in front of the page keeps it. */
function useEscape(on: boolean, drop: () => void): void {
  useEffect(() => {
    if (!on) return
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || document.querySelector("[role=dialog], [role=menu]")) return
      event.preventDefault()
      event.stopPropagation()
      drop()
    }
    window.addEventListener("keydown", pressed, true)
    return () => window.removeEventListener("keydown", pressed, true)
  }, [on, drop])
}
