import {
  FilePen,
  FilePlus,
  FileText,
  FolderOpen,
  FolderSearch,
  ListTodo,
  type LucideIcon,
  TextSearch,
  SquareTerminal,
  Wrench,
} from "lucide-react"

const icons: Record<string, LucideIcon> = {
  Shell: SquareTerminal,
  Read: FileText,
  FileCreate: FilePlus,
  FileReplace: FilePen,
  Glob: FolderSearch,
  Grep: TextSearch,
  Cd: FolderOpen,
  todo_write: ListTodo,
  todo_list: ListTodo,
}

export const iconOf = (tool: string): LucideIcon => icons[tool] ?? Wrench
