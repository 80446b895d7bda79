import { Circle, CircleCheck } from "lucide-react"

import type { Todo } from "../../api/types"
import { useT } from "../../i18n"
import { cx } from "../../lib/cx"

export function TodoItems({ todos }: { todos: Todo[] }) {
  const t = useT()
  return (
    <ul className="space-y-1 text-small">
      {todos.map((todo) => {
        const Icon = todo.done ? CircleCheck : Circle
        return (
          <li key={todo.id} className="flex gap-2.5">
            <Icon size={15} className="mt-0.5 shrink-0 text-ink-3" role="img" aria-label={t(todo.done ? "todos.isDone" : "todos.isOpen")} />
            <span className={cx("min-w-0 break-words", todo.done && "text-ink-3 line-through")}>{todo.text}</span>
          </li>
        )
      })}
    </ul>
  )
}
