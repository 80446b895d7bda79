import { ChevronRight, ListTodo } from "lucide-react"
import { useState } from "react"

import type { Todo } from "../api/types"
import { useT } from "../i18n"
import { cx } from "../lib/cx"
import { TodoItems } from "./details/TodoItems"

/** The to-do list of the conversation above the composer: one line that opens. Gone when there is none. */
export function TodoStrip({ todos }: { todos: Todo[] }) {
  const t = useT()
  const [open, setOpen] = useState(false)
  if (todos.length === 0) return null
  const done = todos.filter((todo) => todo.done).length
  const next = todos.find((todo) => !todo.done)
  return (
    <div className="mb-2 rounded-md border border-line">
      <button
        type="button"
        id="todos"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-8 w-full items-center gap-2.5 rounded-md px-3 text-left text-small hover:bg-hover"
      >
        <ListTodo size={15} aria-hidden className="shrink-0 text-ink-3" />
        <span className="shrink-0 font-medium text-ink-2">{t("todos.progress", { done, total: todos.length })}</span>
        <span className="min-w-0 flex-1 truncate text-ink-3">{next?.text}</span>
        <ChevronRight size={15} aria-hidden className={cx("shrink-0 text-ink-3 transition-transform", open ? "rotate-90" : "-rotate-90")} />
      </button>
      {open && (
        <div className="max-h-48 overflow-y-auto px-3 pb-2">
          <TodoItems todos={todos} />
        </div>
      )}
    </div>
  )
}
