import { Hand, Mic, MicOff, Radio, X } from "lucide-react"
import { useEffect, useRef, useState } from "react"

import { type Say, useTable } from "../../i18n/table"
import { type VoiceWord, voiceWords } from "../../i18n/voice"
import { cx } from "../../lib/cx"
import { useStore } from "../../lib/store"
import { IconButton } from "../../ui/IconButton"
import { VoiceClient, type VoiceState } from "./client"

/** The panel of voice mode, over the message box. */
export default function VoicePanel({ sessionKey, onClose }: { sessionKey: string; onClose: () => void }) {
  const [run, setRun] = useState(0)
  return <Session key={`${sessionKey} ${run}`} sessionKey={sessionKey} onClose={onClose} onRetry={() => setRun(run + 1)} />
}

function Session({ sessionKey, onClose, onRetry }: { sessionKey: string; onClose: () => void; onRetry: () => void }) {
  const say = useTable(voiceWords)
  const [client] = useState(() => new VoiceClient(sessionKey))
  useEffect(() => {
    client.start()
    return () => client.close()
  }, [client])
  const state = useStore(client.state)
  const panel = useRef<HTMLElement>(null)
  useEffect(() => panel.current?.focus(), [])
  useKeys(client, onClose)
  const ended = state.at === "ended"
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-label={say("region")}
      className="absolute inset-x-0 bottom-0 z-10 flex min-h-full flex-col justify-end gap-2 rounded-xl border border-line-strong bg-overlay px-4 py-3 shadow-field outline-none focus-visible:border-accent"
    >
      <Captions state={state} say={say} />
      {ended ? (
        <div role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small">
          <span className="min-w-0 break-words">{say(state.failure ?? "failed", { reason: state.reason })}</span>
          <button type="button" className={link} onClick={onRetry}>
            {say("again")}
          </button>
          <button type="button" className={link} onClick={onClose}>
            {say("close")}
          </button>
        </div>
      ) : (
        <Controls client={client} state={state} say={say} onClose={onClose} />
      )}
    </section>
  )
}

const link = "shrink-0 font-medium text-accent underline underline-offset-4"

interface PartProps {
  state: VoiceState
  say: Say<VoiceWord>
}

/** Captions of both sides, and the status of a tool. */
function Captions({ state, say }: PartProps) {
  const { transcript, answer, tool } = state
  return (
    <div aria-live="polite" className="flex max-h-48 flex-col gap-1 overflow-y-auto break-words">
      {transcript !== "" && <Caption who={say("you")} text={transcript} />}
      {tool && <p className="text-small text-ink-3">{say(tool.done ? "toolDone" : "tool", { name: tool.name, seconds: tool.seconds })}</p>}
      {answer !== "" && <Caption who={say("agent")} text={answer} />}
    </div>
  )
}

function Caption({ who, text }: { who: string; text: string }) {
  return (
    <p>
      <span className="mr-2 text-small font-medium text-ink-3">{who}</span>
      {text}
    </p>
  )
}

function Controls({ client, state, say, onClose }: PartProps & { client: VoiceClient; onClose: () => void }) {
  const { manual, muted, pressed, at } = state
  const status = muted && at === "listening" ? "muted" : manual && at === "listening" ? "ready" : at === "ended" ? "failed" : at
  return (
    <div className="flex flex-wrap items-center gap-2">
      <p role="status" className="flex min-w-0 items-center gap-2 text-small text-ink-2">
        <span className={cx("size-2 shrink-0 rounded-full", at === "hearing" ? "bg-danger" : at === "connecting" ? "bg-warn" : "bg-accent")} aria-hidden />
        {say(status)}
      </p>
      <span className="flex-1" />
      {manual && (
        <button
          type="button"
          aria-pressed={pressed}
          disabled={at === "connecting"}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId)
            client.press()
          }}
          onPointerUp={client.release}
          onPointerCancel={client.release}
          className={cx("h-9 touch-none rounded-lg px-3 font-medium select-none disabled:opacity-50", pressed ? "bg-danger-soft text-danger" : "bg-accent text-on-accent")}
        >
          {say(pressed ? "talking" : "talk")} <span className="hidden font-normal sm:inline">{say("spaceHint")}</span>
        </button>
      )}
      <IconButton round label={say(manual ? "toOpen" : "toManual")} onClick={client.toggleManual}>
        {manual ? <Radio size={17} aria-hidden /> : <Hand size={17} aria-hidden />}
      </IconButton>
      <IconButton round label={say(muted ? "unmute" : "mute")} aria-pressed={muted} onClick={client.toggleMute}>
        {muted ? <MicOff size={17} aria-hidden /> : <Mic size={17} aria-hidden />}
      </IconButton>
      <IconButton round label={say("end")} onClick={onClose} className="border border-line-strong">
        <X size={17} aria-hidden />
      </IconButton>
    </div>
  )
}

/** Space is push to talk, and Escape ends voice mode. Fields, dialogs and menus keep both keys. */
function useKeys(client: VoiceClient, onClose: () => void): void {
  useEffect(() => {
    const applies = (event: KeyboardEvent) => {
      const field = event.target instanceof HTMLElement && event.target.closest("input, textarea, select, [contenteditable], [role=dialog], [role=menu], [data-approval]")
      return !field && !document.querySelector("[role=dialog], [role=menu]")
    }
    const down = (event: KeyboardEvent) => {
      if (!applies(event)) return
      if (event.key === "Escape") {
        event.preventDefault()
        event.stopPropagation()
        onClose()
      } else if (event.code === "Space" && client.state.get().manual && !onControl(event)) {
        event.preventDefault()
        if (!event.repeat) client.press()
      }
    }
    const up = (event: KeyboardEvent) => {
      if (event.code === "Space" && client.state.get().pressed) {
        event.preventDefault()
        client.release()
      }
    }
    window.addEventListener("keydown", down, true)
    window.addEventListener("keyup", up, true)
    window.addEventListener("blur", client.release)
    return () => {
      window.removeEventListener("keydown", down, true)
      window.removeEventListener("keyup", up, true)
      window.removeEventListener("blur", client.release)
    }
  }, [client, onClose])
}

/** Reports whether the focus is on a button or link other than the push-to-talk button. */
function onControl(event: KeyboardEvent): boolean {
  return event.target instanceof HTMLElement && event.target.closest("button:not([aria-pressed].touch-none), a, summary") !== null
}
