// The call about what is left to do.
import { api, unwrap } from "./client"
import type { Todo } from "./types"

export interface TodoList {
  session: string
  title: string
  todos: Todo[]
}

/** What is left to do in all conversations of the person, the newest list first. */
export async function listTodos(): Promise<TodoList[]> {
  const { lists } = await unwrap(api.GET("/api/todos"))
  return (lists ?? []).map((list) => ({ ...list, todos: list.todos ?? [] }))
}
