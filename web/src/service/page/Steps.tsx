import { ChevronRight } from "lucide-react"
import { type ReactNode, useId, useState } from "react"

import { cx } from "../../lib/cx"
import type { Call } from "../api/types"
import type { Step } from "../chat/live"
import { type Say, useSay } from "../lib/language"

/** Characters of a result that are shown: what is longer is no reading for a page. */
const MOST = 20_000

/** What was done between two texts of an answer: folded, with the names of it. */
export function Steps({ steps, running }: { steps: Step[]; running: boolean }) {
  const say = useSay()
  const parts = steps.flatMap((step) => [...(step.thinking === "" ? [] : [{ thinking: step.thinking, call: undefined }]), ...step.calls.map((call) => ({ thinking: "", call }))])
  const last = parts.at(-1)
  const runs = running && last !== undefined && (last.call ? last.call.result === undefined : true)
  const only = parts.length === 1 ? parts[0] : undefined
  if (only) return <Part part={only} runs={runs} />
  return (
    <Fold head={runs && last ? nameOf(last, true, say) : say("steps.many", { n: parts.length, names: [...new Set(parts.map((part) => nameOf(part, false, say)))].slice(0, 4).join(" · ") })} runs={runs}>
      {parts.map((part, n) => (
        <Part key={n} part={part} runs={runs && n === parts.length - 1} />
      ))}
    </Fold>
  )
}

interface PartOf {
  thinking: string
  call: Call | undefined
}

function nameOf({ call }: PartOf, runs: boolean, say: Say): string {
  if (!call) return say(runs ? "steps.thinking" : "steps.thought")
  return runs ? say("steps.running", { name: call.name }) : call.name
}

function Part({ part, runs }: { part: PartOf; runs: boolean }) {
  const say = useSay()
  const { call, thinking } = part
  const failed = call?.ok === false
  return (
    <Fold head={nameOf(part, runs, say)} runs={runs} note={failed ? say("steps.failed") : call ? gist(call.args) : undefined} failed={failed}>
      {call ? (
        <div className="space-y-3">
          {call.args.trim() !== "" && <Text label={say("steps.args")} text={indented(call.args)} />}
          {typeof call.result === "string" && call.result !== "" && <Text label={say("steps.result")} text={call.result} />}
        </div>
      ) : (
        <p className="text-ui break-words whitespace-pre-wrap text-ink-2">{thinking}</p>
      )}
    </Fold>
  )
}

function Fold({ head, note, runs, failed, children }: { head: string; note?: string; runs: boolean; failed?: boolean; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        className="-ml-2 flex min-h-9 max-w-full items-center gap-2 rounded-md px-2 text-left text-small text-ink-2 transition-colors hover:bg-hover hover:text-ink"
      >
        <ChevronRight size={15} aria-hidden className={cx("shrink-0 text-ink-3 transition-transform", open && "rotate-90")} />
        {runs && <span aria-hidden className="working size-2 shrink-0 rounded-full bg-accent" />}
        <span className={cx("min-w-0 truncate font-medium", note !== undefined && note !== "" && "max-w-[70%] shrink-0")}>{head}</span>
        {note !== undefined && note !== "" && <span className={cx("min-w-0 truncate", failed ? "text-danger" : "text-ink-3")}>{note}</span>}
      </button>
      {open && (
        <div id={id} className="mt-1 ml-1.5 border-l border-line pl-4">
          {children}
        </div>
      )}
    </div>
  )
}

function Text({ label, text }: { label: string; text: string }) {
  return (
    <div>
      <div className="text-small text-ink-3">{label}</div>
      <pre tabIndex={0} role="group" aria-label={label} className="mt-1 max-h-72 overflow-auto rounded-md bg-sunken px-3 py-2 font-mono text-small break-words whitespace-pre-wrap">
        {text.length > MOST ? `${text.slice(0, MOST)}…` : text}
      </pre>
    </div>
  )
}

/** The first text among the arguments says most: a search's words, a file's name. */
function gist(args: string): string {
  try {
    const values = Object.values(JSON.parse(args) as Record<string, unknown>)
    return (values.find((value): value is string => typeof value === "string") ?? "").slice(0, 200)
  } catch {
    return "" // it is still being written
  }
}

function indented(args: string): string {
  try {
    return JSON.stringify(JSON.parse(args), undefined, 2)
  } catch {
    return args
  }
}
