import { createContext, use } from "react"

/** What is opened in front of the page. */
export type Front = "help" | "memory" | "password" | "tokens" | "usage"

/** What the parts of the page ask of the frame around them. */
export interface ShellControls {
  showSidebar: () => void
  /** Opens something in front of the page, where it stays when the window becomes narrow or wide. */
  show: (front: Front) => void
  /** The side bar is beside the conversation rather than behind a button. */
  hasSidebar: boolean
  /** Where the settings were opened. */
  before: () => string
}

export const ShellContext = createContext<ShellControls | undefined>(undefined)

export function useShell(): ShellControls {
  const shell = use(ShellContext)
  if (!shell) throw new Error("useShell is for components inside the shell")
  return shell
}
