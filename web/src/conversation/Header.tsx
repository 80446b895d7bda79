import { FolderOpen, Menu, PanelRight } from "lucide-react"
import type { ReactNode } from "react"

import type { Session } from "../api/types"
import { usePlace } from "../channels/place"
import { useT } from "../i18n"
import { IconButton } from "../ui/IconButton"
import { useShell } from "../ui/shell-context"

interface Props {
  title?: string
  session?: Session
  /** Opens the files where the conversation works. */
  onFiles?: () => void
  details?: { open: boolean; toggle: () => void }
  /** More buttons, at the end. */
  children?: ReactNode
}

/** Title of what is open, and the ways to the panels at both sides. */
export function Header({ title, session, onFiles, details, children }: Props) {
  const t = useT()
  const { hasSidebar, showSidebar } = useShell()
  return (
    <header className="flex h-13 shrink-0 items-center gap-2 px-2 md:px-4">
      {!hasSidebar && (
        <IconButton label={t("sidebar.open")} onClick={showSidebar}>
          <Menu size={19} aria-hidden />
        </IconButton>
      )}
      {title ? (
        <div className="min-w-0 flex-1 px-1">
          <h1 className="truncate font-semibold">{title}</h1>
          {session && <Place session={session} />}
        </div>
      ) : (
        <span className="flex-1" />
      )}
      {onFiles && (
        <IconButton label={t("files.title")} onClick={onFiles}>
          <FolderOpen size={18} aria-hidden />
        </IconButton>
      )}
      {details && (
        <IconButton label={t(details.open ? "conversation.hideDetails" : "conversation.details")} aria-pressed={details.open} onClick={details.toggle}>
          <PanelRight size={18} aria-hidden />
        </IconButton>
      )}
      {children}
    </header>
  )
}

/** Where the conversation takes place and who answers, where that is not what goes without saying. */
function Place({ session }: { session: Session }) {
  const words = usePlace(session)
  return words === "" ? null : <p className="truncate text-small text-ink-3">{words}</p>
}
