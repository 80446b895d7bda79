import { Menu, PanelRight } from "lucide-react"

import { useShell } from "../app/shell-context"
import { useT } from "../i18n"
import { IconButton } from "../ui/IconButton"

interface Props {
  title?: string
  details?: { open: boolean; toggle: () => void }
}

/** Title of what is open, and the ways to the panels at both sides. */
export function Header({ title, details }: Props) {
  const t = useT()
  const { hasSidebar, showSidebar } = useShell()
  return (
    <header className="flex h-13 shrink-0 items-center gap-2 px-2 md:px-4">
      {!hasSidebar && (
        <IconButton label={t("sidebar.open")} onClick={showSidebar}>
          <Menu size={19} aria-hidden />
        </IconButton>
      )}
      {title ? <h1 className="min-w-0 flex-1 truncate px-1 font-semibold">{title}</h1> : <span className="flex-1" />}
      {details && (
        <IconButton label={t(details.open ? "conversation.hideDetails" : "conversation.details")} aria-pressed={details.open} onClick={details.toggle}>
          <PanelRight size={18} aria-hidden />
        </IconButton>
      )}
    </header>
  )
}
