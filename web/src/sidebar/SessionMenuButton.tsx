import { Ellipsis } from "lucide-react"
import { lazy, Suspense, useState } from "react"

import type { Session } from "../api/types"
import { useT } from "../i18n"
import { IconButton } from "../ui/IconButton"

const load = () => import("./SessionMenu")
const SessionMenu = lazy(load)

export interface SessionMenuProps {
  session: Session
  title: string
  onRename: () => void
}

export const menuButtonLook =
  "opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 data-[state=open]:opacity-100 pointer-coarse:opacity-100"

/** What can be done with a conversation. The menu itself is loaded when somebody reaches for it. */
export function SessionMenuButton(props: SessionMenuProps) {
  const t = useT()
  const [wanted, setWanted] = useState(false)
  const button = (
    <IconButton
      small
      label={t("session.menu", { title: props.title })}
      aria-haspopup="menu"
      aria-expanded={false}
      className={menuButtonLook}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setWanted(true)}
    >
      <Ellipsis size={16} aria-hidden />
    </IconButton>
  )
  return wanted ? (
    <Suspense fallback={button}>
      <SessionMenu {...props} />
    </Suspense>
  ) : (
    button
  )
}
