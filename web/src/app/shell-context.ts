import { createContext, use } from "react"

/** What is opened in front of the page. */
export type Front = "help" | "memory" | "password" | "settings" | "tokens" | "usage"

export type SettingsTab = "models" | "runners" | "permissions" | "cron" | "triggers" | "identities" | "channels" | "hooks" | "policy" | "people" | "limits" | "runs"

/** Where the settings open, and what is begun there. */
export interface SettingsPlace {
  tab: SettingsTab
  /** A new subscription: the installation's or one's own. */
  add?: "shared" | "own"
}

/** What the parts of the page ask of the frame around them. */
export interface ShellControls {
  showSidebar: () => void
  /** Opens something in front of the page, where it stays when the window becomes narrow or wide; the settings at a place of theirs. */
  show: (front: Front, place?: SettingsPlace) => void
  /** The side bar is beside the conversation rather than behind a button. */
  hasSidebar: boolean
}

export const ShellContext = createContext<ShellControls | undefined>(undefined)

export function useShell(): ShellControls {
  const shell = use(ShellContext)
  if (!shell) throw new Error("useShell is for components inside the shell")
  return shell
}
