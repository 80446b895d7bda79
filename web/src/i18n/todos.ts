import type { Table } from "./table"

const en = {
  elsewhere: "To do in other conversations",
  more: "{{n}} more",
}

export type TodoWord = keyof typeof en

const zh: Record<TodoWord, string> = {
  elsewhere: "其他对话中的待办",
  more: "另外 {{n}} 个",
}

export const todoWords: Table<TodoWord> = { en, zh }
