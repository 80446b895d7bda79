import { FileText, Wrench } from "lucide-react"
import type { ReactNode } from "react"

import type { SharedMessage } from "../api/shares"
import { shareWords } from "../i18n/shares"
import { useTable } from "../i18n/table"
import { LazyMarkdown } from "../markdown/LazyMarkdown"

/** Questions at the right, or with the name of who wrote; answers as text, with the tools that were used behind it. */
export function SharedMessages({ messages }: { messages: SharedMessage[] }) {
  return (
    <ol className="space-y-6">
      {messages.map((message, n) => (
        <li key={n}>{message.role === "user" ? <Asked message={message} /> : <Answered message={message} />}</li>
      ))}
    </ol>
  )
}

function Asked({ message: { sender, text, files } }: { message: SharedMessage }) {
  const say = useTable(shareWords)
  return (
    <div className={sender ? "pt-4" : "flex flex-col items-end pt-4"}>
      {sender && <p className="mb-1 text-small font-medium text-ink-2">{sender}</p>}
      <div className="w-fit max-w-[min(100%,34rem)] rounded-xl bg-sunken px-4 py-2.5">
        {!sender && <span className="sr-only">{say("asked")}: </span>}
        {text !== "" && <div className="text-body break-words whitespace-pre-wrap">{text}</div>}
        {files?.length ? (
          <Line icon={<FileText size={14} aria-hidden className="mt-0.5 shrink-0" />}>{say("files", { files: files.map((name) => name || say("unnamed")).join(", ") })}</Line>
        ) : null}
      </div>
    </div>
  )
}

function Answered({ message: { text, tools } }: { message: SharedMessage }) {
  const say = useTable(shareWords)
  return (
    <div>
      <span className="sr-only">{say("answered")}: </span>
      {text !== "" && <LazyMarkdown text={text} live={false} />}
      {tools?.length ? <Line icon={<Wrench size={14} aria-hidden className="mt-0.5 shrink-0" />}>{say("used", { tools: counted(tools) })}</Line> : null}
    </div>
  )
}

function Line({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <p className="mt-1.5 flex gap-1.5 text-small break-words text-ink-2">
      {icon}
      <span className="min-w-0">{children}</span>
    </p>
  )
}

/** "Shell × 2, Read". */
function counted(tools: string[]): string {
  const times = new Map<string, number>()
  for (const tool of tools) times.set(tool, (times.get(tool) ?? 0) + 1)
  return [...times].map(([tool, n]) => (n > 1 ? `${tool} × ${n}` : tool)).join(", ")
}
