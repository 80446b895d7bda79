import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Circle } from "lucide-react"

import { listTodos, type TodoList } from "../../api/todos"
import { useT } from "../../i18n"
import { useTable } from "../../i18n/table"
import { todoWords } from "../../i18n/todos"
import { Section } from "../../ui/Section"
import { useConversationContext } from "../shared/context"
import { useKeepDetails } from "../shared/useDetails"

/** Milliseconds between two looks at other conversations. */
const LOOK = 15_000
/** How many lists are shown before the rest is asked for. */
const FIRST = 3

/** What is left to do in the person's other conversations; nothing where nothing is. */
export default function OtherTodos() {
  const say = useTable(todoWords)
  const { sessionKey } = useConversationContext()
  const { data } = useQuery({ queryKey: ["todos"], queryFn: listTodos, refetchInterval: LOOK, retry: false })
  const lists = data?.filter(({ session }) => session !== sessionKey) ?? []
  if (lists.length === 0) return null
  const rest = lists.slice(FIRST)
  return (
    <Section title={say("elsewhere")}>
      <Lists lists={lists.slice(0, FIRST)} />
      {rest.length > 0 && (
        <details className="mt-3 text-small">
          <summary className="cursor-pointer rounded-sm text-ink-2">{say("more", { n: rest.length })}</summary>
          <div className="mt-3">
            <Lists lists={rest} />
          </div>
        </details>
      )}
    </Section>
  )
}

function Lists({ lists }: { lists: TodoList[] }) {
  const t = useT()
  const keep = useKeepDetails()
  return (
    <ul className="space-y-3 text-small">
      {lists.map((list) => (
        <li key={list.session}>
          <Link to="/c/$key" params={{ key: list.session }} onClick={keep} className="block truncate rounded-sm font-medium underline-offset-3 hover:underline">
            {list.title || t("session.untitled")}
          </Link>
          <ul className="mt-1 space-y-1">
            {list.todos.map((todo) => (
              <li key={todo.id} className="flex gap-2.5">
                <Circle size={15} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />
                <span className="min-w-0 break-words text-ink-2">{todo.text}</span>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}
