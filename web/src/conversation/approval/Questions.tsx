import { Check, CircleHelp, MinusCircle, X } from "lucide-react"
import { type KeyboardEvent, lazy, type SubmitEvent, Suspense, useId } from "react"

import type { Approval, Inquiry as Question } from "../../api/types"
import { useLanguage, useT } from "../../i18n"
import { moment } from "../../i18n/format"
import { useTabState } from "../../lib/useTabState"
import { Button } from "../../ui/Button"
import type { Answer } from "./ApprovalCard"
import { type Draft, draftOf, complete, given, chose, wrote } from "./question-draft"

const AccountRequest = lazy(() => import("./AccountRequest"))

interface Props {
  /** Id of the call that asks. */
  call: string
  approval: Approval
  /** The turn waits for the answers. */
  asking: boolean
  /** Answers are on their way or were accepted. */
  answering: boolean
  onAnswer: (answer: Answer) => void
}

/** What the model asks a person: a form while it is open, then the questions with what was answered. */
export default function Questions({ call, approval, asking, answering, onAnswer }: Props) {
  const [first] = approval.questions ?? []
  if (asking && first?.connect) {
    return (
      <Suspense>
        <AccountRequest call={call} question={first} answering={answering} onAnswer={onAnswer} />
      </Suspense>
    )
  }
  return asking ? <Form call={call} questions={approval.questions ?? []} answering={answering} onAnswer={onAnswer} /> : <Settled approval={approval} />
}

function Form({ call, questions, answering, onAnswer }: { questions: Question[] } & Pick<Props, "call" | "answering" | "onAnswer">) {
  const t = useT()
  const id = useId()
  const [drafts, keep, forget] = useTabState<Draft[]>(`inquiry.${call}`, () => questions.map(() => draftOf()))
  const ready = questions.every((question, n) => complete(question, drafts[n]))
  const send = () => {
    if (!ready || answering) return
    forget()
    onAnswer({ answers: given(questions, drafts) })
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    send()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send()
  }
  return (
    <form
      data-approval=""
      tabIndex={-1}
      aria-labelledby={id}
      onSubmit={submit}
      onKeyDown={onKeyDown}
      className="space-y-4 rounded-lg border border-warn bg-overlay p-4 shadow-field"
    >
      <p id={id} className="flex items-center gap-2.5 font-medium">
        <CircleHelp size={17} aria-hidden className="shrink-0 text-warn" />
        {t("inquiry.title", { count: questions.length })}
      </p>
      {questions[0]?.url ? <Address url={questions[0].url} /> : questions[0]?.above && <p className="break-words whitespace-pre-wrap">{questions[0].above}</p>}
      {questions.map((question, n) => question.default ? null : (
        <Ask
          key={question.name}
          question={question}
          draft={drafts[n] ?? draftOf()}
          onDraft={(draft) => keep(drafts.map((other, at) => (at === n ? draft : other)))}
        />
      ))}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" aria-disabled={!ready || answering}>
          {t("inquiry.send")}
        </Button>
        <Button look="quiet" aria-disabled={answering} onClick={() => !answering && onAnswer({ decision: "deny" })}>
          {t("inquiry.decline")}
        </Button>
      </div>
    </form>
  )
}

/** An address that a program wants opened, whole and with its host in bold. Only a click opens it. */
function Address({ url }: { url: string }) {
  const to = URL.canParse(url) ? new URL(url) : null
  if (!to || !["https:", "http:"].includes(to.protocol)) return <p className="break-all">{url}</p>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className="block break-all text-accent underline">
      {`${to.protocol}//`}<strong>{to.host}</strong>{to.pathname}{to.search}{to.hash}
    </a>
  )
}

interface AskProps {
  question: Question
  draft: Draft
  onDraft: (draft: Draft) => void
}

/** Longest answer in words, in characters; all of them together have 20 kB. */
const LONGEST_ANSWER = 4000

function Ask({ question, draft, onDraft }: AskProps) {
  const t = useT()
  const id = useId()
  const { text, options, multi, other } = question
  const free = {
    value: draft.text,
    maxLength: LONGEST_ANSWER,
    "aria-label": t("inquiry.words", { question: text }),
    className: "w-full rounded-md border border-line-strong bg-canvas px-3 py-2 placeholder:text-ink-3",
  }
  return (
    <fieldset className="min-w-0 space-y-2">
      <legend className="mb-2 break-words whitespace-pre-wrap">{text}</legend>
      {(options ?? []).map(({ label, about }, n) => (
        <label key={label} className="flex cursor-pointer items-start gap-2.5 rounded-md px-2 py-1.5 hover:bg-hover">
          <input
            type={multi ? "checkbox" : "radio"}
            name={id}
            checked={draft.chosen.includes(label)}
            aria-describedby={about ? `${id}-${n}` : undefined}
            onChange={() => onDraft(chose(question, draft, label))}
            className="mt-1 size-4 shrink-0 accent-accent"
          />
          <span className="min-w-0 break-words">
            {label}
            {about && <span id={`${id}-${n}`} className="block text-small text-ink-3">{about}</span>}
          </span>
        </label>
      ))}
      {other && (options?.length ? (
        <input {...free} placeholder={t("inquiry.other")} onChange={(event) => onDraft(wrote(question, draft, event.target.value))} />
      ) : (
        <textarea {...free} rows={2} onChange={(event) => onDraft(wrote(question, draft, event.target.value))} />
      ))}
    </fieldset>
  )
}

function Settled({ approval }: { approval: Approval }) {
  const t = useT()
  const language = useLanguage()
  const { state, note, questions, answers, answered_at: at, answered_by: by = "" } = approval
  const answered = state === "allowed"
  const late = state === "denied" && by === "xbot"
  const ended = state === "denied" && by.startsWith("agent:") // the coding agent that asked has ended, as the note says
  const words = answered ? t("inquiry.answered", { who: by }) : late ? t("inquiry.late") : ended ? note : state === "denied" ? t("inquiry.declined", { who: by }) : t("approval.void")
  const Icon = answered ? Check : state === "denied" ? X : MinusCircle
  return (
    <div className="space-y-2 pl-6.5 text-small text-ink-3">
      <p className="flex gap-2">
        <Icon size={15} aria-hidden className="mt-0.5 shrink-0" />
        <span className="min-w-0 break-words">
          {words}
          {at && <span className="tabular-nums"> · {moment(language, at)}</span>}
          {note && !late && !ended && <span className="text-ink-2"> · “{note}”</span>}
        </span>
      </p>
      <dl className="space-y-1.5 pl-6">
        {(questions ?? []).map(({ name, text }) => (
          <div key={name}>
            <dt className="break-words whitespace-pre-wrap">{text}</dt>
            {(answers?.[name] ?? []).map((answer) => (
              <dd key={answer} className="break-words whitespace-pre-wrap text-ink">{answer}</dd>
            ))}
          </div>
        ))}
      </dl>
    </div>
  )
}
