import {
  Bot,
  FilePen,
  FilePlus,
  FileText,
  FolderOpen,
  FolderSearch,
  ListTodo,
  type LucideIcon,
  MessagesSquare,
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
  SubAgent: Bot,
  CreateChat: MessagesSquare,
}

export const iconOf = (tool: string): LucideIcon => icons[tool] ?? Wrench
