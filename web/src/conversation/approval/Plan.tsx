import { ArrowDown, ArrowUp, Check, Circle, CircleCheck, ClipboardList, MinusCircle, Plus, Trash2, X } from "lucide-react"
import { type KeyboardEvent, type SubmitEvent, useEffect, useId, useRef } from "react"

import type { Approval, Todo } from "../../api/types"
import { useLanguage, useT } from "../../i18n"
import { moment } from "../../i18n/format"
import { planWords } from "../../i18n/plans"
import { useTable } from "../../i18n/table"
import { cx } from "../../lib/cx"
import { useTabState } from "../../lib/useTabState"
import { Button } from "../../ui/Button"
import { Fold } from "../../ui/Fold"
import { IconButton } from "../../ui/IconButton"
import { useConversationContext } from "../shared/context"
import type { Answer } from "./ApprovalCard"
import { added, type DraftStep, draftOf, isEdited, moved, stepsOf } from "./plan-draft"
import { useFocusBack } from "./useFocusBack"

interface Props {
  /** Id of the call that proposes it. */
  call: string
  approval: Approval
  /** The turn waits for the answer. */
  asking: boolean
  /** An answer is on its way or was accepted. */
  answering: boolean
  onAnswer: (answer: Answer) => void
}

/** What the model proposes to do: a list to be edited while it waits, then what was decided and how far the steps are. */
export default function Plan({ call, approval, asking, answering, onAnswer }: Props) {
  return asking ? <PlanForm call={call} approval={approval} answering={answering} onAnswer={onAnswer} /> : <Settled approval={approval} />
}

/** Bounds of the server. */
const LONGEST_STEP = 500
const MOST_STEPS = 50
const LONGEST_NOTE = 1000

const field = "rounded-md border border-line-strong bg-canvas px-3 placeholder:text-ink-3"

function PlanForm({ call, approval, answering, onAnswer }: Omit<Props, "asking">) {
  const t = useTable(planWords)
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  useFocusBack(form)
  const { title, questions, steps: proposed } = approval.plan ?? {}
  const known = proposed ?? []
  const [{ draft, note }, keep, forget] = useTabState(`plan.${call}`, () => ({ draft: draftOf(known), note: "" }))
  const edited = isEdited(draft, known)
  const steps = stepsOf(draft)
  const ready = steps.length > 0 && !answering
  const said = note.trim() === "" ? {} : { note: note.trim() }
  const answer = (given: Answer) => {
    forget()
    onAnswer(given)
  }
  const approve = () => {
    if (ready) answer({ decision: "allow", ...said, ...(edited && { arguments: { ...(title && { title }), steps, ...(questions?.length && { questions }) } }) })
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    approve()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) approve()
  }
  return (
    <form ref={form} data-approval="" tabIndex={-1} aria-labelledby={id} onSubmit={submit} onKeyDown={onKeyDown} className="space-y-3 rounded-lg border border-warn bg-overlay p-4 shadow-field">
      <p id={id} className="flex items-center gap-2.5 font-medium">
        <ClipboardList size={17} aria-hidden className="shrink-0 text-warn" />
        {t("title")}
      </p>
      {title && <p className="font-medium break-words">{title}</p>}
      {approval.reason && <p className="break-words text-ink-2">{approval.reason}</p>}
      <Steps draft={draft} onDraft={(next) => keep({ draft: next, note })} />
      {questions && questions.length > 0 && (
        <div className="text-ink-2">
          <p className="text-small text-ink-3">{t("questions")}</p>
          <ul className="list-disc space-y-1 pl-5">
            {questions.map((question, n) => (
              <li key={n} className="break-words">{question}</li>
            ))}
          </ul>
        </div>
      )}
      <input aria-label={t("note")} placeholder={t("note")} value={note} maxLength={LONGEST_NOTE} onChange={(event) => keep({ draft, note: event.target.value })} onKeyDown={(event) => {
        if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) event.preventDefault()
      }} className={cx(field, "h-9 w-full")} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" aria-disabled={!ready}>
          {t(edited ? "approveEdited" : "approve")}
        </Button>
        <Button aria-disabled={answering} onClick={() => answering || answer({ decision: "deny", ...said })}>
          {t("back")}
        </Button>
      </div>
    </form>
  )
}

/** The steps, each in a box of its own. Enter adds one, Backspace in an empty one removes it, Alt with an arrow moves it. */
function Steps({ draft, onDraft }: { draft: DraftStep[]; onDraft: (draft: DraftStep[]) => void }) {
  const t = useTable(planWords)
  const list = useRef<HTMLOListElement>(null)
  const focus = useRef<number>(undefined) // the step that gets the focus once the list is drawn anew
  useEffect(() => {
    if (focus.current === undefined) return
    list.current?.querySelector<HTMLElement>(`[data-step="${focus.current}"]`)?.focus()
    focus.current = undefined
  }, [draft])
  const write = (n: number, text: string) => onDraft(draft.map((step, at) => (at === n ? { ...step, text } : step)))
  const move = (from: number, to: number) => {
    focus.current = draft[from]?.id
    onDraft(moved(draft, from, to))
  }
  const add = (after: number) => {
    if (draft.length >= MOST_STEPS) return
    const next = added(draft, after)
    focus.current = next.step.id
    onDraft(next.draft)
  }
  const remove = (n: number) => {
    focus.current = (draft[n - 1] ?? draft[n + 1])?.id
    onDraft(draft.filter((_, at) => at !== n))
  }
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>, n: number) => {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return
    if (event.key === "Enter") add(n)
    else if (event.key === "Backspace" && draft[n]?.text === "" && draft.length > 1) remove(n)
    else if (event.altKey && event.key === "ArrowUp") move(n, n - 1)
    else if (event.altKey && event.key === "ArrowDown") move(n, n + 1)
    else return
    event.preventDefault()
  }
  return (
    <>
      <ol ref={list} aria-label={t("steps")} className="space-y-1.5">
        {draft.map((step, n) => (
          <li key={step.id} className="flex items-start gap-1.5">
            <span aria-hidden className="w-5 shrink-0 pt-2 text-right text-small text-ink-3 tabular-nums">{n + 1}</span>
            <textarea
              data-step={step.id}
              aria-label={t("step", { n: n + 1 })}
              rows={1}
              maxLength={LONGEST_STEP}
              value={step.text}
              onChange={(event) => write(n, event.target.value)}
              onKeyDown={(event) => onKey(event, n)}
              className={cx(field, "field-sizing-content min-h-9 min-w-0 flex-1 resize-none py-1.5")}
            />
            <span className="flex shrink-0 pt-1">
              <IconButton small label={t("up", { n: n + 1 })} disabled={n === 0} onClick={() => move(n, n - 1)}>
                <ArrowUp size={14} aria-hidden />
              </IconButton>
              <IconButton small label={t("down", { n: n + 1 })} disabled={n === draft.length - 1} onClick={() => move(n, n + 1)}>
                <ArrowDown size={14} aria-hidden />
              </IconButton>
              <IconButton small label={t("remove", { n: n + 1 })} onClick={() => remove(n)}>
                <Trash2 size={14} aria-hidden />
              </IconButton>
            </span>
          </li>
        ))}
      </ol>
      <Button look="quiet" className="h-8" disabled={draft.length >= MOST_STEPS} onClick={() => add(draft.length - 1)}>
        <Plus size={15} aria-hidden />
        {t("add")}
      </Button>
    </>
  )
}

function Settled({ approval }: { approval: Approval }) {
  const t = useTable(planWords)
  const say = useT()
  const language = useLanguage()
  const { todos } = useConversationContext()
  const { state, note, plan, asked, answered_at: at, answered_by: by = "" } = approval
  const steps = plan?.steps ?? []
  const allowed = state === "allowed"
  const done = steps.filter((step) => isDone(todos, step)).length
  const words = allowed ? t(asked === undefined ? "approved" : "edited", { who: by }) : state === "denied" ? (by === "xbot" ? t("late") : t("sentBack", { who: by })) : say("approval.void")
  const Icon = allowed ? Check : state === "denied" ? X : MinusCircle
  return (
    <div className="space-y-1">
      <p className="flex gap-2 pl-6.5 text-small text-ink-3">
        <Icon size={15} aria-hidden className="mt-0.5 shrink-0" />
        <span className="min-w-0 break-words">
          {words}
          {at && <span className="tabular-nums"> · {moment(language, at)}</span>}
          {note && by !== "xbot" && <span className="text-ink-2"> · “{note}”</span>}
        </span>
      </p>
      <div className="pl-6.5">
        <Fold icon={ClipboardList} name={plan?.title || t("plan")} summary={allowed ? t("progress", { done, total: steps.length }) : ""}>
          {() => (
            <ol aria-label={t("steps")} className="space-y-1 text-small">
              {steps.map((step, n) => {
                const finished = allowed && isDone(todos, step)
                const Mark = finished ? CircleCheck : Circle
                return (
                  <li key={`${n} ${step}`} className="flex gap-2.5">
                    <Mark size={15} role="img" aria-label={t(finished ? "done" : "open")} className="mt-0.5 shrink-0 text-ink-3" />
                    <span className={cx("min-w-0 break-words", finished && "text-ink-3 line-through")}>{step}</span>
                  </li>
                )
              })}
            </ol>
          )}
        </Fold>
      </div>
    </div>
  )
}

/** How far a step is: the to-do list, which the plan became, says so. */
const isDone = (todos: Todo[], step: string): boolean => todos.some((todo) => todo.text === step && todo.done)
