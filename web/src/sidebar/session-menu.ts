import type { Session } from "../api/types"

export interface SessionMenuProps {
  session: Session
  title: string
  onRename: () => void
}

export const menuButtonLook =
  "opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 data-[state=open]:opacity-100 pointer-coarse:opacity-100"
