import type { Said } from "../../api/inbox"
import { inboxWords } from "../../i18n/inbox"
import { useTable } from "../../i18n/table"

/** What was said in a conversation, as text: a stranger wrote half of it. */
export function InboxLines({ messages }: { messages: Said[] }) {
  const say = useTable(inboxWords)
  const who = (one: Said) => (one.role === "user" ? say("visitor") : one.origin === "person" ? say("person", { name: one.sender ?? "" }) : say("agent"))
  const said = messages.filter(({ role, silent }) => role !== "notice" && !silent)
  if (said.length === 0) return <p className="text-ink-2">{say("empty")}</p>
  return (
    <ol aria-label={say("talk")} tabIndex={0} className="max-h-[50vh] space-y-3 overflow-y-auto rounded-md border border-line p-3">
      {said.map((one) => (
        <li key={one.id}>
          <span className="block text-small text-ink-3">{who(one)}</span>
          {one.content && <span className="block break-words whitespace-pre-wrap">{one.content}</span>}
          {(one.tool_calls ?? []).length > 0 && (
            <span className="block text-small text-ink-3">{say("calls", { names: (one.tool_calls ?? []).map(({ name }) => name).join(", ") })}</span>
          )}
        </li>
      ))}
    </ol>
  )
}
