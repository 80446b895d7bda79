import { createContext, use } from "react"

/** What the parts of the page ask of the frame around them. */
export interface ShellControls {
  showSidebar: () => void
  showHelp: () => void
  /** The side bar is beside the conversation rather than behind a button. */
  hasSidebar: boolean
}

export const ShellContext = createContext<ShellControls | undefined>(undefined)

export function useShell(): ShellControls {
  const shell = use(ShellContext)
  if (!shell) throw new Error("useShell is for components inside the shell")
  return shell
}
