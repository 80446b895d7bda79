import { Ellipsis } from "lucide-react"
import { lazy, Suspense, useState } from "react"

import { useT } from "../i18n"
import { IconButton } from "../ui/IconButton"
import { menuButtonLook, type SessionMenuProps } from "./session-menu"

const load = () => import("./SessionMenu")
const SessionMenu = lazy(load)

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
